import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FileServer = {
  url: string;
  /** `Range` headers of the requests for files, in order; null where there was none. */
  asked: (string | null)[];
  files: Map<string, Uint8Array>;
  /** The SHA-256 that the listing publishes, instead of the true one. */
  claims: Map<string, string>;
  /** Answers the next request for a file only so far, then drops the connection. */
  breakAfter: number | null;
  /** Holds every answer after so many bytes until it is called. */
  hold: { after: number; released: Promise<void> } | null;
  ranges: boolean;
  status: number;
  close(): Promise<void>;
};

/** A hub of models: `/<owner>/<name>/resolve/main/<file>` with ranges, and what it publishes of them. */
export async function startFileServer(): Promise<FileServer> {
  const state = {
    asked: [] as (string | null)[],
    files: new Map<string, Uint8Array>(),
    claims: new Map<string, string>(),
    breakAfter: null as number | null,
    hold: null as FileServer['hold'],
    ranges: true,
    status: 200,
  };
  const server = createServer((request, response) => void answer(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, close: () => closed(server) });
}

type State = Omit<FileServer, 'url' | 'close'>;

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-headers', 'range');
  response.setHeader('access-control-expose-headers', 'content-range, content-length');
  const path = (request.url ?? '').split('?')[0] ?? '';
  if (request.method === 'OPTIONS') response.end();
  else if (path.startsWith('/api/models/')) list(state, path, response);
  else await send(state, path, request.headers.range ?? null, response);
}

function list(state: State, path: string, response: ServerResponse): void {
  const repository = /^\/api\/models\/(.+)\/tree\/main$/.exec(path)?.[1] ?? '';
  const prefix = `/${repository}/resolve/main/`;
  const entries = [...state.files]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, bytes]) => ({
      type: 'file',
      path: name.slice(prefix.length),
      lfs: {
        oid: state.claims.get(name) ?? createHash('sha256').update(bytes).digest('hex'),
        size: bytes.length,
      },
    }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(entries));
}

async function send(
  state: State,
  path: string,
  range: string | null,
  response: ServerResponse,
): Promise<void> {
  state.asked.push(range);
  const file = state.files.get(path);
  if (!file || state.status !== 200) {
    response.statusCode = file ? state.status : 404;
    response.end();
    return;
  }
  const from = state.ranges && range ? Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0) : 0;
  if (from > 0) {
    response.statusCode = 206;
    response.setHeader('content-range', `bytes ${from}-${file.length - 1}/${file.length}`);
  }
  response.setHeader('content-length', file.length - from);
  const body = file.subarray(from);
  const cut = state.breakAfter;
  state.breakAfter = null;
  if (cut !== null) {
    response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 50));
    return;
  }
  if (state.hold) {
    response.write(body.subarray(0, state.hold.after));
    const { after, released } = state.hold;
    await released;
    response.end(body.subarray(after));
    return;
  }
  response.end(body);
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
