import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveFront } from '../../sync-server/http/front.ts';

const dist = process.env.GSV_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const TEXT = /\.(js|css|html|json|webmanifest)$/;

/**
 * A server of the built page that can be given a new version at once: a copy of the build in which every part has
 * another name and the time of the build is later. Of older versions it has nothing any more.
 */
export class VersionsServer {
  readonly url: string;
  /** Addresses below `/assets/` that were asked for and are not there. */
  readonly missed: string[] = [];
  readonly #server: Server;
  readonly #build = new Build();
  #files = this.#build.version(0);

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://localhost:${(server.address() as AddressInfo).port}`;
    server.on('request', async (request, response) => {
      const answer = await this.#answer(request.url ?? '/', request.headers);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  }

  static async start(): Promise<VersionsServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new VersionsServer(server);
  }

  /** From now on this version is served, and nothing else. */
  serve(version: number): void {
    this.#files = this.#build.version(version);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(path: string, headers: Record<string, unknown>): Promise<Response> {
    const request = new Request(new URL(path, this.url), {
      headers: { host: new URL(this.url).host, accept: String(headers.accept ?? '') },
    });
    const none = async (): Promise<Response> => new Response('', { status: 503 });
    const response = await serveFront(request, {
      allowedHosts: [],
      room: none,
      driver: none,
      page: async (name) => {
        const body = this.#files.get(name);
        return body === undefined ? null : new Response(body as Uint8Array<ArrayBuffer>);
      },
    });
    if (response.status === 404 && path.startsWith('/assets/')) this.missed.push(path);
    return response;
  }
}

/** The files of the build, ready to be renamed. */
class Build {
  readonly #files = new Map<string, Buffer>();
  readonly #names: RegExp;

  constructor() {
    const page = join(dist, 'page');
    const names = readdirSync(page, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const { parentPath, name } of names) {
      const full = join(parentPath, name);
      this.#files.set(full.slice(page.length), readFileSync(full));
    }
    const assets = [...this.#files.keys()].filter((path) => path.startsWith('/assets/'));
    const stems = assets.map((path) => path.slice('/assets/'.length).replaceAll('.', '\\.'));
    this.#names = new RegExp(`(${stems.join('|')})`, 'g');
  }

  version(version: number): ReadonlyMap<string, Uint8Array> {
    const renamed = new Map<string, Uint8Array>();
    for (const [path, contents] of this.#files)
      renamed.set(this.#name(path, version), this.#contents(path, contents, version));
    const index = sha256(renamed.get('/index.html') ?? Buffer.alloc(0));
    const worker = String(Buffer.from(renamed.get('/sw.js') ?? []));
    const old = sha256(this.#files.get('/index.html') ?? Buffer.alloc(0));
    renamed.set('/sw.js', Buffer.from(worker.replace(old, index)));
    return renamed;
  }

  #contents(path: string, contents: Buffer, version: number): Buffer {
    if (!TEXT.test(path)) return contents;
    const text = this.#name(contents.toString(), version);
    return Buffer.from(text.replaceAll(this.#built, String(Number(this.#built) + version)));
  }

  #name(text: string, version: number): string {
    return text.replace(this.#names, (name) => name.replace(/\.(\w+)$/, `_v${version}.$1`));
  }

  /** The time of the build, as it stands in the service worker. */
  get #built(): string {
    const worker = String(this.#files.get('/sw.js') ?? '');
    const [built] = /\b\d{13}\b/.exec(worker) ?? [];
    if (built === undefined) throw new Error('The service worker does not say when it was built');
    return built;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
