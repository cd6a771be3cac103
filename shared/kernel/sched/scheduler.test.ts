import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import {
  DAY,
  every,
  HOUR,
  INIT,
  MINUTE,
  SchedWorld,
  shell,
  tell,
} from '../../../tests/support/sched-world.ts';
import { fails, says } from '../../../tests/support/scripted-models.ts';

const reminder = (clock: { now(): number }, inMs: number) =>
  ({ kind: 'at', atMs: clock.now() + inMs }) as const;

async function scheduled({ page }: SchedWorld): Promise<string[]> {
  const { processes } = await page.call('proc.list', {});
  return processes.flatMap(({ pid, profile }) => (profile === 'cron' ? [pid] : []));
}

describe('a schedule', () => {
  test('[P254] fires at its time, and says when it fires next', async () => {
    const world = await SchedWorld.start();
    const began = world.clock.now();
    const made = await world.add({ name: 'Stretch', expression: every(2 * HOUR), target: tell('stand up') });
    expect(made.state).toMatchObject({
      nextRunAtMs: made.createdAtMs + 2 * HOUR,
      runCount: 0,
      lastStatus: null,
    });
    await world.clock.advance(2 * HOUR - MINUTE);
    expect((await world.read(made.id)).state.runCount).toBe(0);
    await world.clock.advance(2 * MINUTE);
    await world.ran(made.id, 1);
    const { state } = await world.read(made.id);
    expect(state).toMatchObject({ lastStatus: 'ok', nextRunAtMs: made.createdAtMs + 4 * HOUR, missed: null });
    expect(state.lastRunAtMs).toBe(made.createdAtMs + 2 * HOUR);
    expect(await world.told()).toEqual([expect.stringContaining('Schedule “Stretch”: stand up')]);
    expect(began).toBeLessThanOrEqual(made.createdAtMs);
  });

  test('[P254] starts a process of the profile `cron`, and runs a command', async () => {
    const world = await SchedWorld.start();
    const spawn = await world.add({ target: { kind: 'process.spawn', prompt: 'look around' } });
    const command = await world.add({ target: shell('echo hello > ~/said; echo done') });
    await world.clock.advance(HOUR);
    await world.ran(spawn.id, 1);
    await world.ran(command.id, 1);
    const { processes } = await world.page.call('proc.list', {});
    const started = processes.filter(({ profile }) => profile === 'cron');
    expect(started).toMatchObject([{ label: 'test' }]);
    expect(await world.told(started[0]?.pid)).toEqual(['look around']);
    expect(await world.runs(command.id)).toEqual(['due ok done']);
    const read = await world.page.call('fs.read', { path: '~/said' });
    expect(JSON.stringify(read)).toContain('hello');
  });

  test('[P254] begins a conversation anew, and archives it', async () => {
    const world = await SchedWorld.start();
    await world.page.run('hello');
    const made = await world.add({ target: { kind: 'process.lifecycle', pid: INIT, action: 'reset' } });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
    expect(await world.runs(made.id)).toEqual(['due ok Done']);
    expect(await world.told()).toEqual([]);
    const archived = await world.page.call('shell.exec', { input: 'ls -R /var/sessions/ada' });
    expect('output' in archived && archived.output).toContain('.jsonl.gz');
  });

  test('[P255] a reminder fires once after three restarts, however late', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ expression: reminder(world.clock, 90 * MINUTE), target: tell('call Bo') });
    for (let restart = 0; restart < 3; restart += 1) await world.restart(40 * MINUTE);
    await world.ran(made.id, 1);
    await world.restart(DAY);
    await world.clock.advance(DAY);
    expect(await world.told()).toHaveLength(1);
    expect(await world.runs(made.id)).toEqual(['late ok ok']);
    expect((await world.read(made.id)).state.nextRunAtMs).toBeNull();
  });

  test('[P256] fires that were missed are made up for by one, or skipped, and the row says so', async () => {
    const world = await SchedWorld.start();
    const once = await world.add({ name: 'once', expression: every(HOUR), target: shell('echo ran') });
    const skip = await world.add({ ...skipping, target: shell('echo ran') });
    await world.restart(5 * HOUR + 30 * MINUTE);
    await world.ran(once.id, 1);
    await world.ran(skip.id, 1);
    expect(await world.runs(once.id)).toEqual(['late ok ran']);
    expect(await world.runs(skip.id)).toEqual(['late skipped Missed: GSV was not open']);
    const [a, b] = [await world.read(once.id), await world.read(skip.id)];
    expect(a.state.missed).toMatchObject({ fromMs: a.createdAtMs + HOUR, policy: 'run-once' });
    expect(b.state).toMatchObject({ lastStatus: 'skipped', missed: { policy: 'skip' } });
    expect(a.state.nextRunAtMs).toBe(a.createdAtMs + 6 * HOUR);
    await world.clock.advance(40 * MINUTE);
    await world.ran(skip.id, 2);
    expect((await world.read(skip.id)).state).toMatchObject({ lastStatus: 'ok', missed: null });
  });

  const skipping = { name: 'skip', expression: every(HOUR), misfirePolicy: 'skip' } as const;

  test('[P257] does not run while what it began last still goes on', async () => {
    const gate = new Gate();
    const world = await SchedWorld.start(async () => {
      await gate.pass();
      return says('at last');
    });
    const told = await world.add({ name: 'told', target: tell('think') });
    const spawned = await world.add({ name: 'spawned', target: { kind: 'process.spawn', prompt: 'think' } });
    await world.clock.advance(2 * HOUR + MINUTE);
    await world.ran(told.id, 2);
    await world.ran(spawned.id, 2);
    const still = 'due skipped The run before was still going on';
    expect(await world.runs(told.id)).toEqual(['due ok The process was told', still]);
    expect(await world.runs(spawned.id)).toEqual(['due ok A process was started', still]);
    gate.open();
    await world.clock.advance(HOUR);
    await world.ran(told.id, 3);
    await world.until(async () => (await world.runs(told.id)).at(-1) === 'due ok at last', 'its answer');
  });

  test('[P258] a tick that failed is tried again, each time after twice as long, and told of once', async () => {
    const world = await SchedWorld.start();
    const retry = { limit: 2, backoffMs: 10_000 };
    const made = await world.add({ name: 'Backup', target: shell('echo no space >&2; exit 3'), retry });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
    const first = await world.read(made.id);
    expect(first.state).toMatchObject({ lastStatus: 'error', lastError: 'It ended with code 3\nno space' });
    expect((first.state.retryAtMs ?? 0) - (first.state.lastRunAtMs ?? 0)).toBeGreaterThanOrEqual(10_000);
    expect(await world.notices()).toEqual([]);
    await world.clock.advance(MINUTE);
    await world.ran(made.id, 3);
    const { runs } = await world.page.call('sched.history', { id: made.id });
    const starts = runs.map(({ startedAtMs }) => startedAtMs).reverse();
    const waits = starts.slice(1).map((at, index) => Math.round((at - (starts[index] ?? 0)) / 10_000));
    expect([runs.map(({ cause }) => cause), waits]).toEqual([
      ['retry', 'retry', 'due'],
      [1, 2],
    ]);
    await world.clock.advance(3 * HOUR);
    await world.ran(made.id, 12);
    expect(await world.notices()).toMatchObject([
      { title: 'The schedule “Backup” failed', level: 'error', body: 'It ended with code 3' },
    ]);
    await world.page.call('sched.update', { id: made.id, patch: { target: shell('true') } });
    await world.clock.advance(HOUR);
    await world.page.call('sched.update', { id: made.id, patch: { target: shell('false') } });
    await world.clock.advance(HOUR + MINUTE);
    await world.until(async () => (await world.notices()).length === 2, 'it is told of again');
  });

  test('[P258] what trying again cannot help is not tried again', async () => {
    const world = await SchedWorld.start();
    const spawned = await world.page.call('proc.spawn', { profile: 'task' });
    if (!spawned.ok) throw new Error(spawned.error);
    const made = await world.add({ target: { kind: 'process.event', pid: spawned.pid, message: 'hello' } });
    await world.page.call('proc.kill', { pid: spawned.pid });
    await world.clock.advance(HOUR + 10 * MINUTE);
    await world.ran(made.id, 1);
    expect(await world.runs(made.id)).toEqual(['due error Process not found']);
    expect(await world.notices()).toHaveLength(1);
  });

  test('[P260] the last 50 runs are kept', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ expression: every(MINUTE), target: shell('true') });
    await world.clock.advance(60 * MINUTE);
    await world.ran(made.id, 60);
    const { runs } = await world.page.call('sched.history', { id: made.id });
    expect([runs.length, runs[0]?.n, runs.at(-1)?.n]).toEqual([50, 60, 11]);
    expect((await world.page.call('sched.history', { id: made.id, limit: 2 })).runs).toHaveLength(2);
    expect(await world.page.call('sched.remove', { id: made.id })).toEqual({ removed: true });
    expect(await world.page.call('sched.remove', { id: made.id })).toEqual({ removed: false });
  });

  test('[P266] run by a person it runs at once, and its next fire stays', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ target: shell('echo by hand') });
    const ran = await world.page.call('sched.run', { id: made.id, mode: 'force' });
    expect(ran).toMatchObject({
      ran: 1,
      results: [{ scheduleId: made.id, status: 'ok', summary: 'by hand' }],
    });
    expect((await world.read(made.id)).state.nextRunAtMs).toBe(made.state.nextRunAtMs);
    expect(await world.runs(made.id)).toEqual(['person ok by hand']);
    await expect(world.page.call('sched.run', { mode: 'force' })).rejects.toThrow('force needs the id');
    expect(await world.page.call('sched.run', {})).toEqual({ ran: 0, results: [] });
  });

  test('[P270] what a process that it started came to stands in its history, and a run that failed is told of', async () => {
    let good = true;
    const world = await SchedWorld.start(() =>
      good ? says('all is well') : fails('the model is away', false),
    );
    const made = await world.add({ name: 'Watch', target: { kind: 'process.spawn', prompt: 'look' } });
    await world.clock.advance(HOUR);
    await world.until(async () => (await world.runs(made.id)).includes('due ok all is well'), 'its answer');
    good = false;
    await world.clock.advance(HOUR);
    await world.until(async () => (await world.read(made.id)).state.lastStatus === 'error', 'it failed');
    expect((await world.runs(made.id)).at(-1)).toContain('due error');
    await world.until(async () => (await world.notices()).length === 1, 'it is told of');
    expect(await world.notices()).toMatchObject([{ title: 'The schedule “Watch” failed', level: 'error' }]);
  });

  test('[P271] of the processes that it started the last five stay, and those that somebody used since', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ target: { kind: 'process.spawn', prompt: 'look' } });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
    const [first] = (await world.page.call('sched.history', { id: made.id })).runs;
    await world.clock.advance(10 * MINUTE);
    await world.page.run('go on', first?.pid ?? '');
    for (let run = 2; run <= 9; run += 1) {
      await world.clock.advance(HOUR);
      await world.ran(made.id, run);
    }
    await world.until(async () => (await scheduled(world)).length === 7, 'old ones end');
    expect(await scheduled(world)).toContain(first?.pid);
    const archived = await world.page.call('shell.exec', { input: 'ls /var/sessions/ada | wc -l' });
    expect('output' in archived && Number(archived.output)).toBe(2);
  });

  test('[P267] that fired for its only time is forgotten after a week', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ expression: { kind: 'after', afterMs: HOUR }, target: shell('true') });
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
    await world.clock.advance(6 * DAY);
    expect((await world.page.call('sched.list', {})).count).toBe(1);
    await world.clock.advance(2 * DAY);
    expect((await world.page.call('sched.list', {})).count).toBe(0);
  });

  test('[P268] fires within a minute of a sleeping machine’s waking, and after a clock that went wrong', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ expression: reminder(world.clock, 6 * HOUR), target: tell('wake') });
    await world.clock.advance(HOUR);
    // Timers stood still meanwhile.
    world.clock.jump(8 * HOUR);
    await world.clock.advance(MINUTE);
    await world.ran(made.id, 1);
    expect(await world.told()).toHaveLength(1);
    const hourly = await world.add({ target: shell('true') });
    world.clock.jump(400 * DAY);
    await world.clock.advance(MINUTE);
    await world.ran(hourly.id, 1);
    world.clock.jump(-400 * DAY);
    await world.clock.advance(2 * HOUR);
    await world.ran(hourly.id, 2);
  });

  test('[P254] that is off does not fire; switched on again it begins anew', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ enabled: false, target: shell('true') });
    expect(made.state.nextRunAtMs).toBeNull();
    await world.clock.advance(5 * HOUR);
    expect((await world.read(made.id)).state.runCount).toBe(0);
    const on = await world.page.call('sched.update', { id: made.id, patch: { enabled: true } });
    expect(on.schedule.state.nextRunAtMs).toBe(on.schedule.updatedAtMs + HOUR);
    await world.clock.advance(HOUR);
    await world.ran(made.id, 1);
  });
});
