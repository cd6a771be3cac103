import { expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';

async function historyOf(page: TestPage): Promise<string[]> {
  const read = await page.call('proc.history', { limit: 1000 });
  return read.ok ? lines(read.messages) : [];
}

test('[P376] a run that was begun without a link goes on with one when nobody else has its process any more', async () => {
  const [here, there] = [new Gate(), new Gate()];
  const pair = await KernelPair.start(
    async () => {
      await here.pass();
      return says('of a');
    },
    async (_request, turn) => {
      await there.pass();
      return turn === 0
        ? calls({ name: 'Read', args: { target: 'gsv', path: '/etc/passwd' } })
        : says('of b');
    },
  );
  const { a, b } = pair.pages;
  pair.hosts.b.cut();
  await pair.pass(1_000);
  const apart = await pair.passing(b.send('apart'));
  await pair.passing(there.reached());
  await pair.passing(a.send('together'));
  await pair.passing(here.reached());
  pair.hosts.b.mend();
  await pair.until(() => pair.isOnline('b'), 'b is online');
  there.open();
  await pair.pass(20_000);
  expect(pair.b.models.requests).toHaveLength(1);
  here.open();
  await pair.passing(b.finished(apart.runId));
  expect(pair.b.models.requests).toHaveLength(2);
  const whole = async (): Promise<boolean> => (await historyOf(a)).includes('assistant: of b');
  await pair.until(whole, 'a has both');
  const history = await historyOf(a);
  expect(history).toEqual(await historyOf(b));
  expect(history).toHaveLength(6);
});
