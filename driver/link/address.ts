import { UsageError } from '../usage.ts';

/** Where a server's socket is, and whether a token would cross a network in the clear to reach it. */
export type Address = { socketUrl: string; shownUrl: string; exposed: boolean };

const socketSchemes: Record<string, string> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
};

/** The socket of the server that people open as `url`. Throws UsageError on what is no such address. */
export function serverAddress(url: string): Address {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const scheme = parsed && socketSchemes[parsed.protocol];
  if (!parsed || !scheme) throw new UsageError(`--url is not an address like http://localhost:1999: ${url}`);
  if (parsed.username || parsed.password) throw new UsageError('--url must not hold a user name or password');
  const base = `${parsed.host}${parsed.pathname.replace(/\/+$/, '')}`;
  return {
    socketUrl: `${scheme}//${base}/ws`,
    shownUrl: `${scheme === 'wss:' ? 'https' : 'http'}://${base}`,
    exposed: scheme === 'ws:' && !isLoopback(parsed.hostname),
  };
}

/** What a person must know before a token goes there; undefined where nobody on the way can read it. */
export function exposureWarning({ exposed, shownUrl }: Address): string | undefined {
  return exposed
    ? `Warning: ${shownUrl} is not encrypted; the token can be read on the way. Use https.\n`
    : undefined;
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}
