import type { ViewRow } from '../../syscalls/view-row.ts';

/** Patches of one view go out at most once per frame. */
export const FRAME_MS = 16;

/** Where the rows of a view come from. */
export type Source = {
  /** The rows of now; what changes from then on is observed. */
  load(): Promise<ViewRow[]>;
  /** Calls back with keys that may have changed; `reset` when everything did. */
  observe(changed: (keys: string[], reset?: boolean) => void): () => void;
  /** The row of a key now, or undefined when it is gone. */
  read(key: string): ViewRow['value'] | undefined;
  /** How many there are in all, where a view shows only some. */
  count?(): number;
};

/** A source whose keys are known at any time. */
export function keyed(
  keys: () => string[],
  read: (key: string) => ViewRow['value'] | undefined,
  observe: Source['observe'],
): Source {
  const load = async (): Promise<ViewRow[]> =>
    keys().flatMap((key) => {
      const value = read(key);
      return value ? [{ key, value }] : [];
    });
  return { load, read, observe };
}
