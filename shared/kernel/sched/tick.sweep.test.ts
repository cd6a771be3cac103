import { expect, test } from 'vitest';
import { Life } from '../../../tests/support/mortal.ts';
import { HOUR, MINUTE, SchedWorld, shell, tell } from '../../../tests/support/sched-world.ts';

async function scheduled({ page }: SchedWorld): Promise<string[]> {
  const { processes } = await page.call('proc.list', {});
  return processes.flatMap(({ pid, profile }) => (profile === 'cron' ? [pid] : []));
}

test('[P259] killed at any moment of a tick, a message is delivered once and a command runs at most once', {
  timeout: 60_000,
}, async () => {
  const reminder = ({ clock }: SchedWorld) => ({ kind: 'at', atMs: clock.now() + HOUR }) as const;
  const target = shell('echo x >> ~/ran');
  const count = async (world: SchedWorld): Promise<number> => {
    const read = await world.page.call('shell.exec', { input: 'cat ~/ran 2>/dev/null | wc -l' });
    return 'output' in read ? Number(read.output) : -1;
  };
  let died = 0;
  for (let moment = 8; moment < 28; moment += 1) {
    const world = await SchedWorld.start();
    const event = await world.add({ expression: reminder(world), target: tell('once') });
    const command = await world.add({ expression: reminder(world), target });
    const prompt = { kind: 'process.spawn', prompt: 'look' } as const;
    const spawn = await world.add({ expression: reminder(world), target: prompt });
    world.kernel.kill();
    const life = new Life(moment);
    const booting = world.kernel.boot(life);
    await Promise.race([booting, life.over]);
    await world.clock.advance(HOUR + MINUTE);
    if (!life.alive) died += 1;
    await world.restart();
    await world.ran(event.id, 1);
    await world.ran(command.id, 1);
    await world.ran(spawn.id, 1);
    expect(await world.told()).toHaveLength(1);
    const started = await scheduled(world);
    expect([started.length, await world.told(started[0])]).toEqual([1, ['look']]);
    const [ran] = await world.runs(command.id);
    const times = await count(world);
    if (ran?.includes('Interrupted')) expect(times).toBeLessThanOrEqual(1);
    else expect([ran?.split(' ')[1], times]).toEqual(['ok', 1]);
  }
  expect(died).toBeGreaterThan(8);
});
