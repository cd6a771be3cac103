import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';

/** A disk that refuses is asked again after this long. */
const DISK_RETRY_MS = 1_000;

/** Resolves when everything changed until now is on disk, however long the disk refuses; or when `over` aborts. */
export async function writtenByAndBy(
  documents: { flush(): Promise<void> },
  clock: Clock,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const refused = await documents.flush().then(
      () => false,
      () => true,
    );
    if (!refused) return;
    await pause(clock, DISK_RETRY_MS, over);
  }
}
