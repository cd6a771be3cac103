import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startFileServer } from '../../support/file-server.ts';
import { tinyGguf } from '../../support/tiny-gguf.ts';
import type { Generation } from '../page/api.ts';
import { Profile } from '../profile.ts';
import { paired, type Row, rowOf } from '../row.ts';
import { type BenchSite, distDir } from '../site.ts';

const RUNS = 11;
const ID = 'bench';
const WINDOW = 4_096;
/** Random weights, some milliseconds a token, that never end what they say. */
const MODEL = { layers: 2, width: 128, contextWindow: WINDOW, leanings: { '</s>': -200 } };

/** A model of this device in a whole turn, from worker to page, against the bare engine in the same page. */
export async function localTokens(site: BenchSite): Promise<Row[]> {
  const hub = await startFileServer();
  hub.files.set(`/${ID}.gguf`, tinyGguf(MODEL));
  const address = `${hub.url}/${ID}.gguf`;
  const profile = await Profile.setUp(site);
  try {
    await profile.run('useLocalModel', address, ID);
    const first = await profile.run('generateHere');
    await profile.run('openBareWllama', address, wasmAddress(), WINDOW);
    const pairs = await paired(
      RUNS,
      async () => perToken(await profile.run('generateHere')),
      async () => perToken(await profile.run('generateBare', first.prompt, first.tokens)),
    );
    const described = {
      name: 'a token of a model on this device',
      peer: 'wllama 3.8.1 alone in the same page',
    };
    return [rowOf({ ...described, unit: 'ms', budget: 1.03 }, pairs)];
  } finally {
    await Promise.all([profile.stop(), hub.close()]);
  }
}

function perToken({ ms, characters }: Generation): number {
  return ms / characters;
}

function wasmAddress(): string {
  const file = readdirSync(join(distDir, 'page/assets')).find((name) => /^wllama-.*\.wasm$/.test(name));
  if (!file) throw new Error('The built page has no wllama');
  return `/assets/${file}`;
}
