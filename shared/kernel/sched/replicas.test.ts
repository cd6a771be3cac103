import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { HOUR, INIT, MINUTE, shell, tell } from '../../../tests/support/sched-world.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import type { ScheduleRun } from '../../syscalls/sched.ts';
import type { Args } from '../../syscalls/table.ts';

async function pairWith(target: Args<'sched.add'>['target'], expression?: Args<'sched.add'>['expression']) {
  const pair = await KernelPair.start(() => says('ok'));
  await pair.passing(pair.pages.a.history());
  const { schedule } = await pair.passing(
    pair.pages.a.call('sched.add', {
      name: 'both',
      expression: expression ?? { kind: 'every', everyMs: HOUR },
      target,
    }),
  );
  const known = async (): Promise<boolean> => (await pair.pages.b.call('sched.list', {})).count === 1;
  await pair.until(known, 'b knows of it');
  return { pair, id: schedule.id };
}

const runsOn = async (page: TestPage, id: string): Promise<ScheduleRun[]> =>
  (await page.call('sched.history', { id })).runs.reverse();

async function told(page: TestPage): Promise<number> {
  const { messages } = await page.history(INIT);
  return messages.filter(({ role }) => role === 'user').length;
}

describe('two browsers', () => {
  test('[P261] fire a schedule once between them, whoever has the seat', async () => {
    const { pair, id } = await pairWith(tell('once'));
    const { a, b } = pair.pages;
    for (const hour of [1, 2, 3]) {
      await pair.pass(HOUR);
      await pair.until(async () => (await runsOn(b, id)).length === hour, `run ${hour}`);
    }
    await pair.pass(MINUTE);
    expect((await runsOn(a, id)).map(({ n, status }) => [n, status])).toEqual([
      [1, 'ok'],
      [2, 'ok'],
      [3, 'ok'],
    ]);
    expect(await runsOn(b, id)).toEqual(await runsOn(a, id));
    await pair.until(async () => (await told(b)) === 3, 'b has been told');
    expect([await told(a), pair.a.models.requests.length + pair.b.models.requests.length]).toEqual([3, 3]);
  });

  test('[P261] a browser that is killed, or frozen, leaves it to the other, and does nothing twice', async () => {
    const { pair, id } = await pairWith(shell('date >> ~/ran'));
    await pair.pass(HOUR);
    await pair.until(async () => (await runsOn(pair.pages.b, id)).length === 1, 'run 1');
    pair.hosts.a.freeze();
    await pair.pass(HOUR);
    await pair.until(async () => (await runsOn(pair.pages.b, id)).length === 2, 'run 2');
    pair.hosts.a.thaw();
    await pair.pass(2 * MINUTE);
    pair.b.kill();
    pair.hosts.b.cut();
    await pair.pass(HOUR);
    await pair.until(async () => (await runsOn(pair.pages.a, id)).length === 3, 'run 3');
    const { schedules } = await pair.pages.a.call('sched.list', {});
    expect(schedules[0]?.state).toMatchObject({ runCount: 3, lastStatus: 'ok' });
    const read = await pair.passing(
      pair.pages.a.call('shell.exec', { input: 'cat ~/ran ~/ran.* 2>/dev/null | wc -l' }),
    );
    expect('output' in read && Number(read.output)).toBe(3);
  });

  test('[P261] a tick whose browser is killed in the middle is ended by the other, and its command ran once', async () => {
    const gate = new Gate();
    const pair = await KernelPair.start(() => says('ok'));
    await pair.device(async () => {
      await gate.pass();
      return { data: { status: 'completed', output: 'backed up', exitCode: 0 } };
    });
    const { a, b } = pair.pages;
    const target = { kind: 'shell.exec', input: 'backup', target: 'laptop' } as const;
    const expression = { kind: 'at', atMs: pair.hosts.a.clock.now() + HOUR } as const;
    const { schedule } = await pair.passing(a.call('sched.add', { name: 'far', expression, target }));
    await pair.until(async () => (await b.call('sched.list', {})).count === 1, 'b knows of it');
    pair.hosts.b.freeze();
    await pair.pass(HOUR);
    await pair.passing(gate.reached());
    pair.a.kill();
    pair.hosts.a.cut();
    pair.hosts.b.thaw();
    gate.open();
    await pair.until(async () => (await runsOn(b, schedule.id)).length === 1, 'b ends it');
    await pair.pass(5 * MINUTE);
    expect(await runsOn(b, schedule.id)).toMatchObject([{ status: 'ok', note: 'backed up' }]);
    expect(pair.executed).toHaveLength(1);
    expect(new Set(pair.calls.map(({ key }) => key)).size).toBe(1);
    expect(pair.calls.length).toBe(2);
  });

  test('[P269] one that is cut off from the server, where others may act, waits for it', async () => {
    const { pair, id } = await pairWith(tell('once'));
    pair.hosts.a.cut();
    pair.b.kill();
    pair.hosts.b.cut();
    await pair.pass(2 * HOUR);
    expect(await runsOn(pair.pages.a, id)).toEqual([]);
    pair.hosts.a.mend();
    await pair.until(async () => (await runsOn(pair.pages.a, id)).length === 1, 'it is made up for');
    expect(await runsOn(pair.pages.a, id)).toMatchObject([{ cause: 'late', status: 'ok' }]);
  });
});
