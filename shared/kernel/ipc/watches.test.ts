import { describe, expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

/** Home runs what a person tells it after `sh `, and keeps what came of it. */
function obeying(agents: Agents): string[] {
  const heard: string[] = [];
  agents.scripts.set(HOME, (told, asked) => {
    if (told.startsWith('sh ')) return shell(told.slice(3), `s${asked}`);
    heard.push(told);
    return says('noted');
  });
  return heard;
}
const tell = async (agents: Agents, input: string): Promise<void> => {
  await agents.page.run(`sh ${input}`);
};
const watches = async (agents: Agents): Promise<Record<string, unknown>[]> => {
  const read = await agents.page.call('fs.read', { path: `/proc/${HOME}/watches` });
  const content = 'content' in read ? String(read.content) : '';
  return content.split('\n').flatMap((line) => {
    const json = line.slice(line.indexOf('{'));
    return line.includes('{') ? [JSON.parse(json)] : [];
  });
};

describe('signal.watch', () => {
  test('[P220] brings one event at the end of another process’s run, with its key and state, and is gone', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('done it'));
    const heard = obeying(agents);
    await tell(agents, `proc watch proc.run.finished --pid ${pid} --key w --state '{"why":"report"}'`);
    expect(heard[0]).toMatch(/^watch [0-9a-f-]+, until /);
    expect(await watches(agents)).toMatchObject([{ key: 'w', once: true, status: 'active', processId: pid }]);
    await agents.page.run('work', pid);
    await expect.poll(() => agents.events()).toHaveLength(1);
    const [event = ''] = await agents.events();
    expect(event).toMatch(
      /^signal proc\.run\.finished of process .* “Worker”\n\nkey: w\nstate: \{"why":"report"\}\n/,
    );
    expect(event).toContain('"text":"done it"');
    await agents.page.run('work', pid);
    await turns(20);
    expect(await agents.events()).toHaveLength(1);
    expect(await watches(agents)).toEqual([]);
  });

  test('[P220] lasts with --always, and ends by its key', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('done it'));
    const heard = obeying(agents);
    await tell(agents, `proc watch proc.run.finished --pid ${pid} --key w --always`);
    for (const count of [1, 2, 3]) {
      await agents.page.run('work', pid);
      await expect.poll(() => agents.events()).toHaveLength(count);
    }
    await expect.poll(() => watches(agents)).toMatchObject([{ count: 3, once: false }]);
    await tell(agents, 'proc unwatch w; proc unwatch w');
    expect(heard.at(-1)).toMatch(/removed 1\nproc unwatch: there is no watch w/);
    await agents.page.run('work', pid);
    await turns(20);
    expect(await agents.events()).toHaveLength(3);
  });

  test('[P221] a watch of the same key takes the place of the one before, which keeps its id', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('ok'));
    const heard = obeying(agents);
    await tell(agents, `proc watch proc.run.finished --pid ${pid} --key w`);
    await tell(agents, 'proc watch device.status --key w --always --ttl 60');
    const [first, second] = heard.map((line) => /watch (\S+),/.exec(line)?.[1]);
    expect(second).toBe(first);
    expect(heard[1]).toMatch(/^changed watch/);
    expect(await watches(agents)).toMatchObject([{ signal: 'device.status', processId: null, once: false }]);
    await agents.page.run('work', pid);
    await turns(20);
    expect(await agents.events()).toEqual([]);
  });

  test('[P222] no process watches itself, a stream, nobody, or in a ring', async () => {
    const agents = await new Agents().ready();
    const heard = obeying(agents);
    let other = '';
    const pid = await agents.spawn('Worker', (told) =>
      told === 'watch' ? shell(`proc watch proc.run.finished --pid ${HOME} --always`) : says(other),
    );
    await agents.page.run('watch', pid);
    other = 'nothing';
    for (const [input, words] of [
      [`proc watch proc.run.finished --pid ${HOME}`, 'cannot watch itself'],
      [`proc watch proc.run.stream --pid ${pid}`, 'There is no signal proc.run.stream'],
      ['proc watch proc.run.finished', 'processId'],
      ['proc watch proc.run.finished --pid nobody', 'Process not found'],
      [`proc watch device.status --pid ${pid}`, 'no signal of a process'],
      [`proc watch proc.run.finished --pid ${pid} --always`, 'without end'],
    ] as const) {
      await tell(agents, input);
      expect(heard.at(-1)).toContain(words);
    }
    expect(await watches(agents)).toEqual([]);
  });

  test('[P223] ends with its time, 24 hours unless another is given', async () => {
    const clock = new ManualClock();
    const agents = await new Agents({ clock }).ready();
    const pid = await agents.spawn('Worker', () => says('ok'));
    obeying(agents);
    await tell(agents, `proc watch proc.run.finished --pid ${pid} --key short --ttl 60`);
    await tell(agents, `proc watch proc.run.finished --pid ${pid} --key long`);
    const rows = await watches(agents);
    expect(rows.map((row) => Number(row.expiresAt) - Number(row.createdAt))).toEqual([60_000, 86_400_000]);
    await clock.advance(61_000);
    await agents.page.run('work', pid);
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toContain('key: long');
  });

  test('[P224] notifications are told, but not those of the watcher itself', async () => {
    const agents = await new Agents().ready();
    obeying(agents);
    await tell(agents, 'proc watch notification.* --always');
    await tell(agents, 'notify "mine"');
    await turns(20);
    expect(await agents.events()).toEqual([]);
    const { notification } = await agents.page.call('notification.create', { title: 'theirs' });
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(/^signal notification\.created\n[\s\S]*theirs/);
    await agents.page.call('notification.dismiss', { notificationId: notification.notificationId });
    await expect.poll(() => agents.events()).toHaveLength(2);
  });

  test('[P225] a watch whose process has ended says so where it is listed; the watcher’s own end takes its watches', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('ok'));
    const watcher = await agents.spawn('Watcher', (told) =>
      told === 'watch' ? shell(`proc watch proc.run.finished --pid ${HOME}`) : says('ok'),
    );
    await agents.page.run('watch', watcher);
    const heard = obeying(agents);
    await tell(agents, `proc watch proc.changed --pid ${pid} --key w --always`);
    await agents.page.call('proc.kill', { pid });
    expect(await watches(agents)).toMatchObject([
      { key: 'w', status: 'failed', error: 'The process was ended' },
    ]);
    await tell(agents, 'proc watches');
    expect(heard.at(-1)).toContain('"status":"failed"');
    await agents.page.call('proc.kill', { pid: watcher });
    const requests = agents.kernel.models.requests.length;
    await agents.page.run('hello');
    await turns(20);
    expect(agents.kernel.models.requests.length).toBe(requests + 1);
  });
});
