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
  --allow-host NAME another host name under which this server is reached; may be given more than once
  --public-url URL  how people reach this server where another one stands before it`;

type Settings = {
  port: number;
  host: string;
  dataDir: string;
  distDir: string;
  allowedHosts: string[];
  /** An origin; null where people reach this server itself. */
  publicUrl: string | null;
};

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
      'public-url': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const port = Number(values.port ?? env.PORT ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`Not a port: ${values.port ?? env.PORT}`);
  }
  const publicUrl = values['public-url'] === undefined ? null : webAddress(values['public-url']);
  return {
    port,
    host: values.host,
    dataDir: values.data,
    distDir: values.dist,
    allowedHosts: [...values['allow-host'], ...(publicUrl === null ? [] : [publicUrl.host])],
    publicUrl: publicUrl?.origin ?? null,
  };
}

function webAddress(text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new Error(`Not an address of the web: ${text}`);
  return new URL(text);
}

async function main(here: string): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env, here);
  if (!settings) return console.log(USAGE);
  const served = await serve({ ...settings, log: (line) => console.error(line) });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void served.stop().then(() => process.exit(0)));
  }
  const address = settings.publicUrl ?? `http://${nameOf(settings.host)}:${served.port}`;
  const claim = served.claimed
    ? ''
    : `It has no owner yet. Claim it: ${address}/#claim=${served.claimSecret}\n`;
  process.stdout.write(`GSV runs at ${address}\n${claim}`);
}

/** What a person types for the address that was listened on. */
function nameOf(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

const file = fileURLToPath(import.meta.url);
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(file)) {
  main(dirname(file)).catch((thrown: unknown) => {
    console.error(thrown instanceof Error ? thrown.message : thrown);
    process.exitCode = 1;
  });
}
