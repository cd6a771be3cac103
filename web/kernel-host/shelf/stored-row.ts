import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { EngineName } from '../../../shared/kernel/local/engine.ts';
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
});
export type StoredRow = Static<typeof StoredRow>;

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
