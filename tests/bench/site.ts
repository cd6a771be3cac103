import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleBenchPage } from './bundle.ts';

/** The built page, as `npm run build` leaves it. */
export const distDir = fileURLToPath(new URL('../../dist', import.meta.url));

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
  '.json': 'application/json',
};
/** Isolation gives the page's clock steps of 5 µs; without it they are 100 µs. */
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
};

/** One origin with the built page's files and, at `/bench/`, the page that measures. There is no room here. */
export class BenchSite {
  readonly url: string;
  readonly #server: Server;
  readonly #work: string;

  private constructor(server: Server, work: string) {
    this.#server = server;
    this.#work = work;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<BenchSite> {
    const work = mkdtempSync(join(tmpdir(), 'gsv-bench-'));
    const page = join(distDir, 'page');
    await bundleBenchPage(join(work, 'bench'), page);
    const server = createServer((request, response) => {
      const path = normalize(new URL(request.url ?? '/', 'http://site').pathname);
      if (path === '/bench/') return send(response, '.html', '<script type="module" src="page.js"></script>');
      const inPage = extname(path) === '' ? 'index.html' : path;
      const file = path.startsWith('/bench/') ? join(work, path) : join(page, inPage);
      try {
        send(response, extname(file), readFileSync(file));
      } catch {
        response.writeHead(404, ISOLATED).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BenchSite(server, work);
  }

  /** A folder of its own below the bench's, removed with it. */
  folder(name: string): string {
    return mkdtempSync(join(this.#work, `${name}-`));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    rmSync(this.#work, { recursive: true, force: true, maxRetries: 5 });
  }
}

function send(response: ServerResponse, extension: string, body: string | Buffer): void {
  const type = TYPES[extension] ?? 'application/octet-stream';
  response
    .writeHead(200, { ...ISOLATED, 'content-type': type, 'cache-control': 'public, max-age=3600' })
    .end(body);
}
