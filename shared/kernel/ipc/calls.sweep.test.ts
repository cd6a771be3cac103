import { expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

test('[P207] killed at any moment of it, the caller hears of its end exactly once', async () => {
  const make = async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('42'));
    return { agents, pid };
  };
  const prepared = await make();
  prepared.agents.kernel.kill();
  const script = (told: string) =>
    told === 'go' ? shell(`proc call ${prepared.pid} --timeout 600 work`) : says('noted');
  const outcomes = new Set<string>();
  let last = 1;
  for (let at = 0; at < last; at += 1) {
    const agents = new Agents();
    agents.kernel.disk.copyFrom(prepared.agents.kernel.disk);
    agents.scripts.set(HOME, script);
    agents.scripts.set(prepared.pid, () => says('42'));
    const life = new Life(at);
    const going = (async () => {
      await agents.kernel.boot(life);
      agents.page = await agents.kernel.signedIn();
      await agents.page.run('go');
      await expect.poll(() => agents.events(), { interval: 1 }).toHaveLength(1);
      await expect
        .poll(() => agents.lines().then((all) => all.at(-1)), { interval: 1 })
        .toBe('assistant: noted');
    })();
    await Promise.race([going, life.over]);
    if (life.alive) break;
    going.catch(() => {});
    last = at + 2;
    await agents.restart();
    const called = async () => (await agents.lines(prepared.pid)).length === 2;
    const idle = async () =>
      (await agents.page.call('proc.list', {})).processes.every(({ state }) => state === 'idle');
    await expect.poll(idle, { interval: 1 }).toBe(true);
    await turns(5);
    await expect.poll(idle, { interval: 1 }).toBe(true);
    if (await called()) {
      await expect.poll(() => agents.events(), { interval: 1, message: `killed at ${at}` }).toHaveLength(1);
      outcomes.add('answered');
    } else {
      expect((await agents.events()).length).toBeLessThan(2);
      outcomes.add('not called');
    }
    await expect.poll(idle, { interval: 1 }).toBe(true);
    expect((await agents.events(prepared.pid)).length).toBeLessThan(2);
  }
  expect([...outcomes].sort()).toEqual(['answered', 'not called']);
  expect(last).toBeGreaterThan(20);
}, 60_000);
