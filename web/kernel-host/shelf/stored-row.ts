import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { catalogue } from '../../../shared/kernel/local/catalogue.ts';
import { EngineName } from '../../../shared/kernel/local/engine.ts';
import type { StoredModel } from '../../../shared/kernel/ports/model-store.ts';
import { literals } from '../../../shared/syscalls/declare.ts';
import type { ModelDisk } from './model-disk.ts';

/** What stands beside the pieces of a model. */
export const StoredRow = Type.Object({
  id: Type.String(),
  name: Type.String(),
  engine: EngineName,
  address: Type.String(),
  mirror: Type.String(),
  bytes: Type.Number(),
  state: literals(['downloading', 'paused', 'ready', 'failed']),
  problem: Type.String(),
  /** What it must be; empty where nobody published it. */
  expected: Type.String(),
  /** The person gave `expected`; else it is asked for anew with a new file. */
  given: Type.Boolean(),
  sha256: Type.String(),
  checked: Type.Boolean(),
  contextWindow: Type.Number(),
  callsTools: Type.Boolean(),
  pieces: Type.Number(),
  tokensPerSecond: Type.Number(),
  /** WebLLM, of a model that is not proposed: where its program lies; its weights lie at `address`. */
  program: Type.Optional(Type.String()),
  /** WebLLM: the SHA-256 of each file by its address, noted when it came. */
  hashes: Type.Optional(Type.Record(Type.String(), Type.String())),
});
export type StoredRow = Static<typeof StoredRow>;

/** What is told of a row. */
export function shownOf(row: StoredRow, storedBytes: number): StoredModel {
  const { expected: _, given: __, mirror: ___, pieces: ____, program: _____, hashes: ______, ...shown } = row;
  return { ...shown, storedBytes };
}

/** An id for a model of this name: none that is in use, and none of a proposed model, which is another file. */
export function freeId(name: string, taken: (id: string) => boolean): string {
  const plain =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9.]+/g, '-')
      .replaceAll(/^[-.]+|[-.]+$/g, '') || 'model';
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? plain : `${plain}-${count}`;
    if (!taken(id) && !catalogue.some((model) => model.id === id)) return id;
  }
}

const ROW = 'model.json';

/** The row of a directory; undefined for one that is not a model's. */
export async function readRow(disk: ModelDisk, directory: string): Promise<StoredRow | undefined> {
  const file = await disk.read(directory, ROW);
  if (!file) return undefined;
  try {
    const row: unknown = JSON.parse(await file.text());
    return Value.Check(StoredRow, row) ? row : undefined;
  } catch {
    return undefined;
  }
}

export function writeRow(disk: ModelDisk, row: StoredRow): Promise<void> {
  return disk.write(row.id, ROW, new Blob([JSON.stringify(row)]));
}
