import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** The caches of WebLLM (0.2.86): it looks there, by address, before it asks the network. */
export const CONFIG_CACHE = 'webllm/config';
export const PROGRAM_CACHE = 'webllm/wasm';
export const WEIGHTS_CACHE = 'webllm/model';

const TOKENIZERS = ['tokenizer.json', 'tokenizer.model'];
const Config = Type.Object({ tokenizer_files: Type.Array(Type.String()) });
const Weights = Type.Object({
  records: Type.Array(Type.Object({ dataPath: Type.String(), nbytes: Type.Number() })),
});

export type WebllmPlace = { weights: string; program: string };
export type WebllmParts = { caches: CacheStorage; fetch: typeof fetch };

/** A file is not what it must be; it is not kept. */
export class DamagedFile extends Error {}

/**
 * Brings all files of a model into WebLLM's caches, so that it needs no network; what is there already is not asked for
 * again. Rejects with a sentence for a person, or as the disk and the signal say.
 */
export async function fetchWebllm(
  { weights, program }: WebllmPlace,
  parts: WebllmParts,
  onBytes: (stored: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const get = (cache: string, address: string, bytes?: number) => bring(parts, cache, address, bytes, signal);
  const config = await json(get(CONFIG_CACHE, new URL('mlc-chat-config.json', weights).href));
  const tokenizer = Value.Check(Config, config)
    ? TOKENIZERS.find((name) => config.tokenizer_files.includes(name))
    : undefined;
  if (tokenizer === undefined)
    throw new DamagedFile('This is no model that WebLLM can run: its configuration names no tokenizer.');
  const list = await json(get(WEIGHTS_CACHE, new URL('tensor-cache.json', weights).href));
  if (!Value.Check(Weights, list))
    throw new DamagedFile('This is no model that WebLLM can run: its list of weights cannot be read.');
  await get(PROGRAM_CACHE, program);
  await get(WEIGHTS_CACHE, new URL(tokenizer, weights).href);
  const total = list.records.reduce((sum, { nbytes }) => sum + nbytes, 0);
  let stored = 0;
  onBytes(stored, total);
  for (const { dataPath, nbytes } of list.records) {
    await get(WEIGHTS_CACHE, new URL(dataPath, weights).href, nbytes);
    stored += nbytes;
    onBytes(stored, total);
  }
}

/** Removes what `fetchWebllm` has brought. */
export async function forgetWebllm({ weights, program }: WebllmPlace, caches: CacheStorage): Promise<void> {
  for (const name of [CONFIG_CACHE, WEIGHTS_CACHE, PROGRAM_CACHE]) {
    const cache = await caches.open(name);
    const keys = (await cache.keys()).filter(({ url }) => url.startsWith(weights) || url === program);
    await Promise.all(keys.map((key) => cache.delete(key)));
  }
}

async function bring(
  { caches, fetch: ask }: WebllmParts,
  name: string,
  address: string,
  bytes: number | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const cache = await caches.open(name);
  const known = await cache.match(address);
  if (known) return known;
  const response = await asked(ask, address, signal);
  const body = await response.blob();
  if (bytes !== undefined && body.size !== bytes)
    throw new DamagedFile('A file of the model is damaged: its size is not the published one. Try again.');
  await cache.put(address, new Response(body));
  return new Response(body);
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
