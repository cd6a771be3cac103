import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serve } from './serve.ts';

const DEFAULT_PORT = 1999;
const USAGE = `Usage: npm start -- [options]
  --port N          port (default: PORT or ${DEFAULT_PORT})
  --host ADDRESS    address to listen on (default: 127.0.0.1)
  --data DIR        where data is kept (default: .gsv)
  --dist DIR        the built files (default: beside this program)
  --allow-host NAME another host name under which this server is reached; may be given more than once`;

type Settings = { port: number; host: string; dataDir: string; distDir: string; allowedHosts: string[] };

/** Throws a sentence for a person on arguments that make no sense; null when only help was asked for. */
export function readSettings(argv: string[], env: NodeJS.ProcessEnv, here: string): Settings | null {
  const { values } = parseArgs({
    args: argv,
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string', default: '.gsv' },
      dist: { type: 'string', default: join(here, '..') },
      'allow-host': { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const port = Number(values.port ?? env.PORT ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`Not a port: ${values.port ?? env.PORT}`);
  }
  return {
    port,
    host: values.host,
    dataDir: values.data,
    distDir: values.dist,
    allowedHosts: values['allow-host'],
  };
}

async function main(here: string): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env, here);
  if (!settings) return console.log(USAGE);
  const served = await serve({ ...settings, log: (line) => console.error(line) });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void served.stop().then(() => process.exit(0)));
  }
  const name = settings.host === '127.0.0.1' || settings.host === '0.0.0.0' ? 'localhost' : settings.host;
  const address = `http://${name.includes(':') ? `[${name}]` : name}:${served.port}`;
  const claim = served.claimed
    ? ''
    : `It has no owner yet. Claim it: ${address}/#claim=${served.claimSecret}\n`;
  process.stdout.write(`${claim}GSV runs at ${address}\n`);
}

const file = fileURLToPath(import.meta.url);
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(file)) {
  main(dirname(file)).catch((thrown: unknown) => {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  });
}
