import { webllmPlace } from '../../shared/kernel/local/hub.ts';

/** The files of a WebLLM model as a hub has them, by path: all but its program are as real ones; that is no program. */
export function webllmFiles(modelId: string): Map<string, Uint8Array> {
  const { weights, program } = webllmPlace(modelId, 'http://hub');
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const path = (address: string): string => new URL(address).pathname;
  const records = [0, 1].map((at) => ({
    dataPath: `params_shard_${at}.bin`,
    nbytes: 64,
    format: 'raw-shard',
    records: [],
  }));
  return new Map([
    [path(`${weights}mlc-chat-config.json`), bytes('{"tokenizer_files":["tokenizer.json"],"vocab_size":8}')],
    [path(`${weights}tensor-cache.json`), bytes(JSON.stringify({ metadata: {}, records }))],
    [path(`${weights}tokenizer.json`), bytes('{}')],
    ...records.map(({ dataPath }) => [path(`${weights}${dataPath}`), new Uint8Array(64)] as const),
    [path(program), bytes('no program')],
  ]);
}
