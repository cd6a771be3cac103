export const HELP = `gsv - the command line and device driver of GSV

  gsv device run --url URL --id ID --workspace DIR [--token-file FILE]
                        makes this machine the device ID of the GSV at URL
      --log-file FILE   writes a log of JSON lines (never arguments or contents)
      --state-dir DIR   where calls are remembered (default: ~/.local/state/gsv/ID)
      --read-only       refuses every call that could change something
      --allow-root-dir DIR   keeps fs.* inside DIR
      --lifetime SECONDS     ends a command after this long (default 300)
      --wait SECONDS         answers a call after this long (default 5)

  gsv exec --url URL --user NAME --target ID [--cwd DIR] -- COMMAND...
                        runs a command on a device and exits with its exit code
  gsv read --url URL --user NAME --target ID PATH
                        prints a file of a device, or lists a directory
  gsv tell --url URL --user NAME [--process PID] TEXT...
                        leaves a message for your agent, also while no browser is open;
                        "-" in place of TEXT reads it from standard input
  gsv devices --url URL --user NAME
                        lists the devices you can use

The token comes from --token-file (mode 0600), else from GSV_TOKEN, else it is asked for. It is
never given on the command line. GSV_URL and GSV_USER stand in for --url and --user.

  gsv --help, gsv --version
`;
