import { expect, test } from 'vitest';
import { lines } from '../../../tests/support/history.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { says } from '../../../tests/support/scripted-models.ts';

const PID = 'init:1000';
const tick = { messageId: 'a', text: 'the clock struck', origin: 'event' } as const;
const EVENT = 'user: [Process Event]: the clock struck';

test('[P202] killed at any moment and delivered again, it is there once', async () => {
  const prepared = new TestKernel();
  const made = await prepared.ready();
  await made.history();
  // Brings it to the disk.
  await made.call('sys.config.set', { key: 'users/1000/ai/max_turns', value: '9' });
  prepared.kill();
  let moments = 1;
  for (let at = 0; at < moments; at += 1) {
    const kernel = new TestKernel(() => says('heard'));
    kernel.disk.copyFrom(prepared.disk);
    const life = new Life(at);
    const page = await Promise.race([
      kernel.boot(life).then(() => kernel.signedIn()),
      life.over.then(() => null),
    ]);
    const going = page && kernel.kernel.deliver(PID, tick).then(({ runId }) => page.finished(runId));
    await Promise.race([going, life.over]);
    if (life.alive) break;
    moments = at + 2;
    const after = await kernel.restart();
    await kernel.kernel.deliver(PID, tick);
    const ended = async () => (await after.call('proc.list', {})).processes[0]?.state === 'idle';
    await expect.poll(ended).toBe(true);
    expect(lines((await after.history()).messages), `killed at ${at}`).toEqual([EVENT, 'assistant: heard']);
  }
  expect(moments).toBeGreaterThan(8);
});
