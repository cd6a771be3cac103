import { describe, expect, test } from 'vitest';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { every, HOUR, INIT, SchedWorld, shell } from '../../../tests/support/sched-world.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { isSyscall } from '../../syscalls/table.ts';
import { targetCall } from './target-call.ts';

/** What is on the disk of a schedule's history. */
async function diskRuns(world: SchedWorld, id: string): Promise<string[]> {
  let notes: string[] = [];
  editTables(world.kernel.disk, (tables) => {
    const rows = tables.scheduleRuns.rows();
    notes = rows.filter(({ scheduleId }) => scheduleId === id).map(({ note }) => note);
  });
  return notes;
}

describe('who a schedule runs for', () => {
  test('[P263] an agent’s schedule that would need approval is refused when it is made, and when it fires', async () => {
    const asked = [
      'sched add --every 1h -- curl https://example.com',
      'sched add --name ls --every 1h -- ls /',
    ];
    const world = await SchedWorld.start(({ messages }) => {
      const input = messages.at(-1)?.role === 'user' ? asked.shift() : undefined;
      return input === undefined ? says('done') : calls({ name: 'Shell', args: { target: 'gsv', input } });
    });
    const key = 'users/1000/ai/tools/approval';
    const policy = (command: string) => ({
      default: 'auto',
      rules: [{ match: 'shell.exec', when: { argPrefix: { input: command } }, action: 'ask' }],
    });
    const set = (command: string) =>
      world.page.call('sys.config.set', { key, value: JSON.stringify(policy(command)) });
    await set('curl');
    await world.passing(world.page.run('one'));
    await world.passing(world.page.run('two'));
    const { schedules } = await world.page.call('sched.list', {});
    expect(schedules).toMatchObject([{ name: 'ls', author: { kind: 'agent', pid: INIT } }]);
    const { messages } = await world.page.history();
    expect(JSON.stringify(messages)).toContain('needs approval each time');
    await set('ls');
    const [{ id = '' } = {}] = schedules;
    await world.clock.advance(HOUR);
    await world.ran(id, 1);
    expect(await world.runs(id)).toEqual([
      expect.stringContaining('due error This needs approval each time'),
    ]);
    // A person who says what it does answers for it.
    const by = await world.page.call('sched.update', { id, patch: { target: shell('ls /') } });
    expect(by.schedule.author).toEqual({ kind: 'person' });
    await world.clock.advance(HOUR);
    await world.ran(id, 2);
    expect((await world.runs(id)).at(-1)).toContain('due ok');
  });

  test('[P263] an agent switches a person’s schedule off, but neither on nor runs it, where it would need approval', async () => {
    const asked = ['off', 'on', 'run'].map(
      (verb) => `sched ${verb} $(sched list | grep fetch | cut -d" " -f1)`,
    );
    const world = await SchedWorld.start(({ messages }) => {
      const input = messages.at(-1)?.role === 'user' ? asked.shift() : undefined;
      return input === undefined ? says('done') : calls({ name: 'Shell', args: { target: 'gsv', input } });
    });
    const rules = [{ match: 'shell.exec', when: { argPrefix: { input: 'curl' } }, action: 'ask' }];
    const value = JSON.stringify({ default: 'auto', rules });
    await world.page.call('sys.config.set', { key: 'users/1000/ai/tools/approval', value });
    const made = await world.add({ name: 'fetch', target: shell('curl https://example.com') });
    for (const _ of ['off', 'on', 'run']) await world.passing(world.page.run('go on'));
    expect(await world.read(made.id)).toMatchObject({ enabled: false, author: { kind: 'person' } });
    expect(await world.runs(made.id)).toEqual([expect.stringContaining('person error This needs approval')]);
  });

  test('[P263] it can do no more than its owner may when it fires', async () => {
    const world = await SchedWorld.start();
    const made = await world.add({ target: { kind: 'process.spawn', prompt: 'hello' } });
    editTables(world.kernel.disk, (tables) => {
      tables.groups.patch('100', { capabilities: ['sys.*', 'sched.*'] });
    });
    await world.restart();
    editTables(world.kernel.disk, (tables) => {
      tables.users.patch('1000', { gid: 101, gids: [101] });
    });
    await world.restart(HOUR);
    await world.until(async () => (await diskRuns(world, made.id)).length === 1, 'it has run');
    expect(await diskRuns(world, made.id)).toEqual(['Permission denied: proc.spawn']);
  });

  test('[P264] a target that this kernel lacks is refused; a conversation is compacted behind a summary', () => {
    const compact = () =>
      targetCall({ kind: 'process.lifecycle', pid: INIT, action: 'compact' }, { name: 'a' });
    if (isSyscall('proc.conversation.compact'))
      expect(compact().args).toEqual({ pid: INIT, generateSummary: true });
    else expect(compact).toThrow('This GSV cannot compact a process');
  });

  test('[P264] what cannot be is refused at once, in words', async () => {
    const world = await SchedWorld.start();
    const refused = async (change: Parameters<SchedWorld['add']>[0]): Promise<string> =>
      world.add(change).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    expect(await refused({ expression: { kind: 'cron', expr: '0 0 30 2 *', timezone: 'UTC' } })).toContain(
      'never fires',
    );
    expect(await refused({ expression: { kind: 'at', atMs: 1 } })).toContain('past');
    expect(await refused({ expression: every(500) })).toContain('Invalid arguments');
    expect(await refused({ target: { kind: 'process.event', pid: 'nobody', message: 'a' } })).toBe(
      'Process not found',
    );
    expect(
      await refused({ target: { kind: 'process.spawn', prompt: 'a', workspace: { mode: 'odd' } } }),
    ).toContain('proc.spawn');
    const lifecycle = { kind: 'process.lifecycle', pid: INIT, action: 'reset' } as const;
    expect(await refused({ target: lifecycle })).toBe('taken');
    expect(await refused({ target: { ...lifecycle, options: { odd: 1 } } })).toContain('/odd');
  });
});
