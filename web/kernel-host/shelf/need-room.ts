import type { DeviceFacts } from '../../../shared/kernel/ports/model-store.ts';

/** Of the size of a file, what must be left beside it. */
const SPARE = 1.05;

/** Rejects with a sentence for a person when `bytes` more do not fit on this device, as far as it says it. */
export async function needRoom(bytes: number, device: () => Promise<DeviceFacts>): Promise<void> {
  const { freeBytes } = await device();
  const needed = bytes * SPARE;
  if (freeBytes !== null && needed > freeBytes) throw new Error(noRoom(needed, freeBytes));
}

function noRoom(needed: number, free: number): string {
  const gb = (bytes: number): string => `${(bytes / 1_000_000_000).toFixed(1)} GB`;
  return `There is not enough room: it takes ${gb(needed)}, and ${gb(free)} are left for this site.`;
}
