import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { builtOnce } from './built-once.ts';

/** As the room sends it, but for what the kernel needs beside the page. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types gsv',
].join('; ');

const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

export type BuiltPage = { url: string; close(): Promise<void> };

/** The page on its scripted kernel, built as for production and served under the strict policy. */
export async function buildPage(): Promise<BuiltPage> {
  const outDir = await builtOnce();
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const file = path.startsWith('/assets/') ? path : '/index.html';
    const body = await readFile(join(outDir, file)).catch(() => null);
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(body === null ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': CSP,
    });
    response.end(body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
