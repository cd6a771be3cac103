import { Type } from 'typebox';
import type { WebllmPlace } from '../../../shared/kernel/local/hub.ts';
import { sha256Hex } from '../../../shared/std/bytes.ts';
import { matches } from '../../../shared/std/matches.ts';

/** The caches of WebLLM (0.2.86): it looks there, by address, before it asks the network. */
export const CONFIG_CACHE = 'webllm/config';
export const PROGRAM_CACHE = 'webllm/wasm';
export const WEIGHTS_CACHE = 'webllm/model';
const CACHES = [CONFIG_CACHE, WEIGHTS_CACHE, PROGRAM_CACHE];

const TOKENIZERS = ['tokenizer.json', 'tokenizer.model'];
const Config = Type.Object({
  tokenizer_files: Type.Array(Type.String()),
  context_window_size: Type.Optional(Type.Number()),
});
const Weights = Type.Object({
  records: Type.Array(Type.Object({ dataPath: Type.String(), nbytes: Type.Number() })),
});

export type WebllmParts = { caches: CacheStorage; fetch: typeof fetch };

/** SHA-256 of files by their address. */
export type Hashes = Readonly<Record<string, string>>;

/** How files are brought. */
export type Bringing = {
  signal: AbortSignal;
  /** What each file must be, where that is known: as it was published, or as it was when it came first. */
  expected: Hashes;
  /** A file is there, whole. */
  onFile(address: string, sha256: string): void;
  /** The list of weights has been read. A rejection ends the download. */
  onTotal(total: number): Promise<void>;
  onBytes(stored: number, total: number): void;
};

/** What a model's configuration says of it; 0 where it does not say. */
export type WebllmFacts = { contextWindow: number };

/** A file is not what it must be; it is not kept. */
export class DamagedFile extends Error {}

/**
 * Brings all files of a model into WebLLM's caches, so that it needs no network; what is there already is checked and not
 * asked for again. Rejects with a sentence for a person, or as the disk and the signal say.
 */
export async function fetchWebllm(
  { weights, program }: WebllmPlace,
  parts: WebllmParts,
  how: Bringing,
): Promise<WebllmFacts> {
  const get = (cache: string, address: string, bytes?: number) => bring(parts, how, cache, address, bytes);
  const config = await json(get(CONFIG_CACHE, new URL('mlc-chat-config.json', weights).href));
  const tokenizer = matches(Config, config)
    ? TOKENIZERS.find((name) => config.tokenizer_files.includes(name))
    : undefined;
  if (tokenizer === undefined)
    throw new DamagedFile('This is no model that WebLLM can run: its configuration names no tokenizer.');
  const list = await json(get(WEIGHTS_CACHE, new URL('tensor-cache.json', weights).href));
  if (!matches(Weights, list))
    throw new DamagedFile('This is no model that WebLLM can run: its list of weights cannot be read.');
  const total = list.records.reduce((sum, { nbytes }) => sum + nbytes, 0);
  await how.onTotal(total);
  await get(PROGRAM_CACHE, program);
  await get(WEIGHTS_CACHE, new URL(tokenizer, weights).href);
  let stored = 0;
  how.onBytes(stored, total);
  for (const { dataPath, nbytes } of list.records) {
    await get(WEIGHTS_CACHE, new URL(dataPath, weights).href, nbytes);
    stored += nbytes;
    how.onBytes(stored, total);
  }
  return { contextWindow: (matches(Config, config) && config.context_window_size) || 0 };
}

/** Removes what `fetchWebllm` has brought. */
export async function forgetWebllm({ weights, program }: WebllmPlace, caches: CacheStorage): Promise<void> {
  for (const name of CACHES) {
    const cache = await caches.open(name);
    const keys = (await cache.keys()).filter(({ url }) => url.startsWith(weights) || url === program);
    await Promise.all(keys.map((key) => cache.delete(key)));
  }
}

/** Whether every file is still what it was when it came. What is not is removed, so that it is brought again. */
export async function stillWhole(hashes: Hashes, caches: CacheStorage): Promise<boolean> {
  let whole = true;
  for (const [address, sha256] of Object.entries(hashes)) {
    if (await isKept(caches, address, sha256)) continue;
    whole = false;
    for (const name of CACHES) await (await caches.open(name)).delete(address);
  }
  return whole;
}

async function isKept(caches: CacheStorage, address: string, sha256: string): Promise<boolean> {
  for (const name of CACHES) {
    const kept = await (await caches.open(name)).match(address);
    if (kept) return (await hashOf(kept)) === sha256;
  }
  return false;
}

async function bring(
  { caches, fetch: ask }: WebllmParts,
  { expected, onFile, signal }: Bringing,
  name: string,
  address: string,
  bytes: number | undefined,
): Promise<Response> {
  const cache = await caches.open(name);
  const must = expected[address];
  const known = await cache.match(address);
  if (known) {
    const hash = await hashOf(known.clone());
    if (must === undefined || must === hash) {
      onFile(address, hash);
      return known;
    }
    await cache.delete(address);
  }
  const body = await (await asked(ask, address, signal)).blob();
  if (bytes !== undefined && body.size !== bytes)
    throw new DamagedFile('A file of the model is damaged: its size is not the published one. Try again.');
  const hash = await hashOf(new Response(body));
  if (must !== undefined && must !== hash)
    throw new DamagedFile(
      'A file of the model is damaged: its SHA-256 is not the one it must have. Try again.',
    );
  await cache.put(address, new Response(body));
  onFile(address, hash);
  return new Response(body);
}

async function hashOf(response: Response): Promise<string> {
  return sha256Hex(new Uint8Array(await response.arrayBuffer()));
}

async function asked(ask: typeof fetch, address: string, signal: AbortSignal): Promise<Response> {
  const { host, pathname } = new URL(address);
  const response = await ask(address, { signal }).catch((thrown) => {
    if (signal.aborted) throw thrown;
    throw new Error(`${host} cannot be reached. What is here stays; try again when it can.`);
  });
  if (response.ok) return response;
  throw new Error(`${host} does not have ${pathname.split('/').at(-1)} (it answers ${response.status}).`);
}

async function json(response: Promise<Response>): Promise<unknown> {
  return (await response).json().catch(() => undefined);
}
