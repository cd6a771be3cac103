import { expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { says } from '../../../tests/support/scripted-models.ts';

/** Home runs what a person tells it after `sh `. */
function obeys(agents: Agents): void {
  agents.scripts.set(HOME, (told, asked) =>
    told.startsWith('sh ') ? shell(told.slice(3), `s${asked}`) : says('noted'),
  );
}

test('[P226] killed at any moment of the run that is watched, the watcher is told of its end once', async () => {
  const prepared = await new Agents().ready();
  const pid = await prepared.spawn('Worker', () => says('done it'));
  obeys(prepared);
  await prepared.page.run(`sh proc watch proc.run.finished --pid ${pid}`);
  prepared.kernel.kill();
  let last = 1;
  let told = 0;
  for (let at = 0; at < last; at += 1) {
    const agents = new Agents();
    agents.kernel.disk.copyFrom(prepared.kernel.disk);
    agents.scripts.set(pid, () => says('done it'));
    obeys(agents);
    const life = new Life(at);
    const going = (async () => {
      await agents.kernel.boot(life);
      agents.page = await agents.kernel.signedIn();
      await agents.page.run('work', pid);
      await expect.poll(() => agents.events(), { interval: 1 }).toHaveLength(1);
    })();
    await Promise.race([going, life.over]);
    going.catch(() => {});
    if (life.alive) break;
    last = at + 2;
    await agents.restart();
    const ran = async () => (await agents.lines(pid)).at(-1) === 'assistant: done it';
    const idle = async () =>
      (await agents.page.call('proc.list', {})).processes.every(({ state }) => state === 'idle');
    await expect.poll(idle, { interval: 1 }).toBe(true);
    if (!(await ran())) continue;
    told += 1;
    await expect.poll(() => agents.events(), { interval: 1, message: `killed at ${at}` }).toHaveLength(1);
    await expect.poll(idle, { interval: 1 }).toBe(true);
    expect(await agents.events()).toHaveLength(1);
  }
  expect(told).toBeGreaterThan(3);
}, 60_000);
