import { expect, test } from 'vitest';
import { all, open, pair, said } from '../../../tests/support/said.ts';

/** The run of the first, as the second takes it over and says more of it. */
async function takenOver() {
  const { hub, a, b, here, there } = await pair();
  await here.append(said('run', 'a1'));
  there.take('run', 2, []);
  await there.append(said('run', 'b1', 'b2'));
  await here.flush();
  return { hub, a, b, here, there };
}
const ROWS = ['hello', 'hi', 'a1', 'b1', 'b2', 'a2'];

test('[P378] a run that comes back goes on behind what the other browser wrote of it', async () => {
  const { here, there } = await takenOver();
  here.take('run', 3, []);
  await here.append(said('run', 'a2'));
  expect(await all(here)).toEqual(ROWS);
  expect(await all(there)).toEqual(ROWS);
});

test('[P378] the same when the browser to which it came back was started anew before it said anything', async () => {
  const { hub, a, here, there } = await takenOver();
  here.take('run', 3, []);
  await here.flush();
  const again = await open(hub.replica(0, a.disk));
  await again.append(said('run', 'a2'));
  expect(await all(again)).toEqual(ROWS);
  expect(await all(there)).toEqual(ROWS);
});
