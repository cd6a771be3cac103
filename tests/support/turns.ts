import { realWork } from './real-work.ts';

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** So many turns of the event loop, one after the other, in which nothing was left to hash, seal or pack. */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await turn();
    const going = realWork();
    if (!going) continue;
    await going;
    left = count + 1;
  }
}
