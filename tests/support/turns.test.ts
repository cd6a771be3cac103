import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.ts';

/** How far the clock of a test has come when something is over that takes real time. */
async function endsAt(work: () => Promise<unknown>): Promise<number> {
  const clock = new ManualClock();
  const tick = (): unknown => clock.after(1_000, tick);
  tick();
  let end = Number.POSITIVE_INFINITY;
  void work().then(() => {
    end = clock.now();
  });
  await clock.advance(60_000);
  return end;
}

const megabytes = new Uint8Array(16 * 2 ** 20);

test('[R190] no time passes in a test while something is hashed', async () => {
  expect(await endsAt(() => crypto.subtle.digest('SHA-256', megabytes))).toBe(0);
});

test('[R190] none while something is packed, unless nobody reads it', async () => {
  const packed = new Blob([megabytes]).stream().pipeThrough(new CompressionStream('gzip'));
  expect(await endsAt(() => new Response(packed).arrayBuffer())).toBe(0);
  const unread = new CompressionStream('gzip').writable.getWriter();
  void unread.write(crypto.getRandomValues(new Uint8Array(65_536)));
  expect(await endsAt(async () => {})).toBe(0);
});
