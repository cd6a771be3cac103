import { gitSubcommands } from './command-git.ts';
import {
  inspectAwk,
  inspectCount,
  inspectDate,
  inspectExport,
  inspectFind,
  inspectInterpreter,
  inspectPrintf,
  inspectRead,
  inspectSet,
  inspectTar,
  inspectTest,
  inspectUnzip,
} from './command-inspections.ts';
import type { Program, Tag } from './command-program.ts';
import { inspectSed } from './command-sed.ts';

const reads: Program = {};
const inert: Program = { inert: true };
const mutating: Program = { tags: ['mutating'] };
const destructive: Program = { tags: ['mutating', 'destructive'] };
const network: Program = { tags: ['network'] };
const fetches: Program = { tags: ['network', 'mutating'] };
const privileged: Program = { tags: ['privileged', 'mutating'] };
const ruinous: Program = { tags: ['mutating', 'destructive', 'privileged'] };

/** One entry for several names. */
const named = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]));
const options = (names: string, ...tags: Tag[]): Record<string, readonly Tag[]> =>
  Object.fromEntries(names.split(' ').map((name) => [name, tags]));

/** Those that only read, as long as each option is one of `flags`: every setting of theirs can be given as an option. */
const reading = (names: string, flags: string): Record<string, Program> =>
  named(names, { flags: flags.split(' ') });
const packages: Program = {
  subcommands: {
    ...named('view info show outdated audit search ping whoami', network),
    ...named('install i ci add update up upgrade uninstall remove rm dedupe link unlink publish', fetches),
  },
};
const systemPackages: Program = {
  subcommands: {
    ...named('list show search info policy depends', network),
    ...named('install reinstall update upgrade remove purge autoremove dist-upgrade full-upgrade', {
      tags: ['network', 'mutating', 'privileged'],
    }),
  },
};

/**
 * What programs do. A program that is not here, or a subcommand that is not, is unclassified: add it only when every
 * one of its options is understood.
 */
export const programs: Readonly<Record<string, Program>> = {
  ...named(
    'ls cat head tail wc stat du df ps cut tr nl rev tac fold expand unexpand column paste join comm diff cmp od strings basename dirname realpath readlink pwd id groups uname uptime printenv md5sum sha1sum sha224sum sha256sum sha384sum sha512sum cksum base32 free nproc tty lscpu vmstat pstree skills targets zcat hexdump type which whereis times umask dirs getconf locale cal',
    reads,
  ),
  // Tells the person something, and nobody else.
  notify: inert,
  ...named('echo true false : expr seq sleep whoami help', inert),
  ...named('exit return break continue shift', { inert: true, inspect: inspectCount }),
  ...named('test [', { inert: true, options: options('-v', 'unclassified'), inspect: inspectTest }),
  printf: { inert: true, options: options('-v', 'unclassified'), inspect: inspectPrintf },
  wait: { flags: ['-n', '-f'] },
  base64: { options: options('-o --output', 'mutating') },
  lsof: { options: options('-D', 'mutating') },
  ...named('cd pushd popd', reads),
  ...named('grep egrep fgrep jq', { pattern: true }),
  ...named('gawk awk mawk nawk', { inspect: inspectAwk, optionsFirst: true }),
  ...named('sed gsed', { inspect: inspectSed }),
  ...named('export readonly local', { inspect: inspectExport }),
  sched: { subcommands: named('list show log', reads) },
  man: { flags: '-k -f -a -w -s -S --where --path --apropos --whatis'.split(' ') },
  rg: { pattern: true, options: options('--pre --hostname-bin', 'unclassified') },
  find: { inspect: inspectFind },
  set: { inspect: inspectSet },
  file: { options: options('-C --compile', 'mutating') },
  sort: {
    options: { ...options('-o --output', 'mutating'), ...options('--compress-program', 'unclassified') },
    values: '-o -k -t -S -T'.split(' '),
  },
  uniq: { operands: { from: 2, tags: ['mutating'] }, values: ['-f', '-s', '-w'] },
  tree: { options: options('-o -R', 'mutating'), values: '-L -P -I -o'.split(' ') },
  yq: {
    pattern: true,
    options: {
      ...options('-i --inplace -s --split-exp', 'mutating'),
      ...options('--security-enable-system-operator', 'unclassified'),
    },
  },
  date: {
    options: options('-s --set', 'privileged', 'mutating'),
    values: '-d -r -f'.split(' '),
    inspect: inspectDate,
  },
  hostname: {
    operands: { from: 1, tags: ['privileged', 'mutating'] },
    options: options('-F --file -b', 'privileged', 'mutating'),
  },
  read: { inert: true, inspect: inspectRead },
  tar: { inspect: inspectTar },
  unzip: { inspect: inspectUnzip },

  ...named(
    'touch mkdir cp mv ln tee chmod chgrp chown install split csplit patch gzip gunzip bzip2 bunzip2 xz unxz zstd zip mktemp mkfifo rmdir setfacl xattr rename',
    mutating,
  ),
  ...named('kill pkill killall', mutating),
  ...named('rm unlink shred truncate dd wipe srm wipefs', destructive),
  ...named('mkfs fdisk parted sfdisk mkswap', ruinous),
  ...named('shutdown reboot halt poweroff init', ruinous),
  ...named('su runuser pkexec', { tags: ['privileged', 'unclassified'] }),
  ...named(
    'mount umount useradd userdel usermod groupadd groupdel groupmod passwd chpasswd visudo iptables nft ufw sysctl modprobe insmod rmmod chroot swapon swapoff setcap',
    privileged,
  ),
  sudo: {
    tags: ['privileged'],
    values: '-u -g -h -p -C -r -t -D -R -T -U --user --group --host --prompt --chdir'.split(' '),
    runs: { skip: 0 },
  },
  doas: { tags: ['privileged'], values: ['-u', '-C'], runs: { skip: 0 } },

  ...named('ping ping6 dig nslookup host traceroute tracepath whois mtr', network),
  curl: {
    tags: ['network'],
    options: {
      ...options('-o -O --output --remote-name -T', 'mutating'),
      ...options('-K --config', 'unclassified'),
    },
    values:
      '-o -H -d -X -u -A -e -b -c -F -m -T -K -w -x -r -D -E -Q --output --header --data --request --user --config'.split(
        ' ',
      ),
  },
  wget: {
    tags: ['network', 'mutating'],
    options: options('--use-askpass -e --execute', 'unclassified'),
    values: '-O -o -P -e'.split(' '),
  },
  ssh: { tags: ['network', 'unclassified'] },
  ...named('scp sftp ftp', fetches),
  rsync: {
    tags: ['mutating'],
    inspect: (args) => ({ tags: args.some((arg) => /^[\w.@-]+:|^rsync:/.test(arg)) ? ['network'] : [] }),
    options: {
      ...options('--del --delete --remove-source-files', 'destructive'),
      ...options('-e --rsh --rsync-path', 'unclassified'),
    },
    values: '-e -f -B -T'.split(' '),
  },
  ...named('nc ncat netcat socat telnet', { tags: ['network', 'unclassified'] }),

  // On macOS a wrapper, elsewhere it takes nothing.
  ...named('nohup setsid builtin arch', { runs: { skip: 0 }, flags: [] }),
  command: { runs: { skip: 0, notWith: ['-v', '-V'] }, flags: ['-v', '-V'] },
  nice: { runs: { skip: 0 }, flags: [], values: ['-n', '--adjustment'] },
  ionice: { runs: { skip: 0 }, flags: ['-t', '--ignore'], values: '-c -n -p --class --classdata'.split(' ') },
  stdbuf: { runs: { skip: 0 }, flags: [], values: '-i -o -e --input --output --error'.split(' ') },
  timeout: {
    runs: { skip: 1 },
    flags: '--foreground --preserve-status -v --verbose'.split(' '),
    values: '-s -k --signal --kill-after'.split(' '),
  },
  time: { runs: { skip: 0 }, flags: ['-p', '-v'], values: ['-f', '-o'], options: options('-o', 'mutating') },
  env: {
    runs: { skip: 0 },
    flags: '-i -0 -v --ignore-environment --null --debug'.split(' '),
    values: '-u -C --unset --chdir'.split(' '),
    options: options('-S --split-string', 'unclassified'),
  },
  xargs: {
    tags: ['unclassified'],
    runs: { skip: 0 },
    values: '-I -n -P -L -d -E -s -a --max-args --max-procs'.split(' '),
  },

  git: {
    subcommands: gitSubcommands,
    values: '-C -c --git-dir --work-tree --namespace --exec-path --config-env'.split(' '),
    options: {
      ...options('-c --config-env --exec-path --git-dir --work-tree', 'unclassified'),
      ...options('--no-pager -C'),
    },
  },
  // The others run a script of the package when they have no command of a name.
  npm: {
    subcommands: {
      ...packages.subcommands,
      ...reading(
        'ls list why explain root bin',
        '-g --global --all -a --depth --json --long -l --parseable -p --prod --production --dev --omit --include',
      ),
    },
  },
  ...named('pnpm yarn bun', packages),
  ...named('pip pip3', {
    subcommands: {
      ...reading('list show freeze check', '-o -u -l -v -f --outdated --local --user --format --files --all'),
      ...named('install uninstall download wheel', fetches),
      ...named('index search', network),
    },
  }),
  ...named('apt apt-get dnf yum brew pacman apk zypper snap', systemPackages),
  npx: { tags: ['network', 'unclassified'] },
  ...named('node python python3 ruby perl php deno java go rustc gcc clang make cmake tsc', {
    inspect: inspectInterpreter,
  }),
  cargo: {
    subcommands: {
      search: network,
      ...named('add remove update fetch install', fetches),
      ...named('fmt clean', mutating),
    },
  },
  docker: {
    subcommands: {
      ...named('ps images logs inspect version info stats top port diff history', reads),
      ...named('pull push login logout search', fetches),
      ...named('stop start restart kill pause unpause tag rename create', mutating),
      ...named('rm rmi', destructive),
    },
  },
  kubectl: {
    subcommands: {
      ...named('get describe logs top version explain api-resources', network),
      ...named('apply create patch scale label annotate set edit', fetches),
      delete: { tags: ['network', 'mutating', 'destructive'] },
    },
  },
  systemctl: {
    subcommands: {
      ...named('status show list-units list-unit-files is-active is-enabled is-failed cat', {
        options: options('-H --host -M --machine', 'network', 'unclassified'),
      }),
      ...named('start stop restart reload enable disable mask unmask daemon-reload kill', privileged),
      ...named('poweroff reboot halt', ruinous),
    },
  },
  journalctl: {
    options: {
      ...options('--vacuum-size --vacuum-time --vacuum-files', 'destructive'),
      ...options('--rotate --flush --sync --cursor-file --update-catalog --setup-keys', 'mutating'),
      ...options('-M --machine', 'unclassified'),
    },
  },
  crontab: {
    inspect: (args) => {
      if (args.join(' ') === '-l') return { tags: [] };
      return { tags: args.includes('-r') ? ['mutating', 'destructive'] : ['mutating', 'unclassified'] };
    },
  },
  gh: { tags: ['network', 'unclassified'] },
  proc: {
    subcommands: {
      ...named('list tree history search watches help', reads),
      ...named('spawn send call delegate watch unwatch', mutating),
      ...named('abort kill reset', destructive),
    },
  },
};
