import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';

/** A disk that refuses is asked again after this long. */
const DISK_RETRY_MS = 1_000;

/**
 * Resolves when everything changed until the last call of `trying` is on disk, however long the disk refuses; or when
 * `over` aborts. `trying` is called at once, and before the disk is asked again.
 */
export async function writtenByAndBy(
  documents: { flush(): Promise<void> },
  clock: Clock,
  over: AbortSignal,
  trying: () => void = () => {},
): Promise<void> {
  while (!over.aborted) {
    trying();
    const refused = await documents.flush().then(
      () => false,
      () => true,
    );
    if (!refused) return;
    await pause(clock, DISK_RETRY_MS, over);
  }
}
