import { describe, expect, test } from 'vitest';
import { type Agent, Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

/** Runs this command when a person speaks, and is content with what it hears then. */
const runs =
  (input: string): Agent =>
  (told) =>
    told.startsWith('go') ? shell(input) : says('noted');
const processes = async ({ page }: Agents) => (await page.call('proc.list', {})).processes;
const children = async (agents: Agents, parent = HOME) =>
  (await processes(agents)).filter(({ parentPid }) => parentPid === parent);
const limited = async (agents: Agents, name: string, value: string): Promise<void> => {
  agents.kernel.kill();
  const root = await agents.kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
  await agents.restart();
  const roots = await agents.kernel.signedIn(root);
  await roots.call('sys.config.set', { key: `config/process/${name}`, value });
};

describe('proc delegate', () => {
  test('[P210] makes a child that does one thing; its last answer comes back as an event', async () => {
    const agents = await new Agents().ready();
    agents.other = (told) => says(told.includes('count the files') ? 'There are 12.' : '?');
    agents.scripts.set(HOME, runs('proc delegate --label Counter --turns 5 --cost 0.5 count the files'));
    await agents.page.run('go');
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(
      /^delegate\.result [0-9a-f-]+: process .* “Counter” answered\n\nThere are 12\.$/,
    );
    await expect.poll(() => agents.lines().then((all) => all.at(-1))).toBe('assistant: noted');
    const [child, ...rest] = await children(agents);
    expect([child?.label, child?.profile, child?.state, rest.length]).toEqual(['Counter', 'task', 'idle', 0]);
    const status = await agents.page.call('fs.read', { path: `/proc/${child?.pid}/status` });
    const parent = await agents.page.call('fs.read', { path: `/proc/${HOME}/status` });
    expect(JSON.stringify(parent)).toContain(`Children:\\t${child?.pid}`);
    expect(JSON.stringify(status)).toMatch(/Task:\\tok.*Limits:.*5 turns, \$0\.5/);
  });

  test('[P210] children work at the same time, and each reports once', async () => {
    const gate = new Gate();
    const agents = await new Agents().ready();
    agents.other = async (told) => {
      await gate.pass();
      return says(`did ${told.trim().split('\n').at(-1)}`);
    };
    agents.scripts.set(HOME, runs('for n in 1 2 3; do echo "part $n" | proc delegate; done'));
    await agents.page.run('go');
    await expect
      .poll(async () => (await children(agents)).map(({ state }) => state))
      .toEqual(['running', 'running', 'running']);
    gate.open();
    await expect.poll(() => agents.events()).toHaveLength(3);
    await turns(20);
    const told = (await agents.events()).map((event) => event.split('\n').at(-1));
    expect(told.sort()).toEqual(['did part 1', 'did part 2', 'did part 3']);
  });

  test('[P211] is stopped at its deadline, and its parent is told', async () => {
    const clock = new ManualClock();
    const gate = new Gate();
    const agents = await new Agents({ clock }).ready();
    agents.other = async () => {
      await gate.pass();
      return says('too late');
    };
    agents.scripts.set(HOME, runs('proc delegate --timeout 90 dig a hole'));
    await agents.page.run('go');
    await gate.reached();
    await clock.advance(90_001);
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(
      /^delegate\.timeout .*was stopped after 90 s without a result/,
    );
    await expect.poll(async () => (await children(agents))[0]?.state).toBe('idle');
    const [child] = await children(agents);
    expect((await agents.lines(child?.pid)).at(-1)).toBe('system: Stopped by the user.');
  });

  test('[P211] a run of it ends at its limit of model calls, and that is its report', async () => {
    const agents = await new Agents().ready();
    agents.other = (_told, asked) =>
      calls({
        name: 'Read',
        args: { target: 'gsv', path: '~/context.d', limit: asked + 1 },
        id: `r${asked}`,
      });
    agents.scripts.set(HOME, runs('proc delegate --turns 3 read on and on'));
    await agents.page.run('go');
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(/failed\n\nStopped after 3 model calls/);
    expect(agents.kernel.models.requests.length).toBeLessThan(8);
  });

  test('[P210] a child’s child reports through it, also over a kill in the middle', async () => {
    const gate = new Gate();
    const agents = await new Agents().ready();
    agents.other = async (told) => {
      if (told.includes('outer')) return shell('proc delegate inner work');
      if (told.includes('delegate.result')) return says('all of it is done');
      if (told.includes('inner')) {
        await gate.pass();
        return says('inner done');
      }
      return says('I wait for my child');
    };
    agents.scripts.set(HOME, runs('proc delegate outer work'));
    await agents.page.run('go');
    await gate.reached();
    const [outer] = await children(agents);
    await expect
      .poll(() => agents.lines(outer?.pid).then((all) => all.at(-1)))
      .toBe('assistant: I wait for my child');
    await agents.restart();
    gate.open();
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(/answered\n\nall of it is done$/);
  });
});

describe('limits of forking', () => {
  test('[P212] a process has at most so many children; finished ones make room, working ones do not', async () => {
    const gate = new Gate();
    const agents = await new Agents().ready();
    await limited(agents, 'max_children', '2');
    agents.other = async (told) => {
      if (told.includes('slow')) await gate.pass();
      return says('done');
    };
    let heard = '';
    const inputs = [
      'proc delegate quick 1; proc delegate quick 2',
      'proc delegate slow 3; proc delegate slow 4',
      'proc delegate 5',
    ];
    agents.scripts.set(HOME, (told) => {
      if (told.startsWith('go')) return shell(inputs.shift() ?? '', `s${inputs.length}`);
      heard = told;
      return says('noted');
    });
    await agents.page.run('go');
    await expect.poll(() => agents.events()).toHaveLength(2);
    const before = (await children(agents)).map(({ pid }) => pid);
    await expect
      .poll(async () => (await processes(agents)).every(({ state }) => state === 'idle'))
      .toBe(true);
    await agents.page.run('go');
    const after = (await children(agents)).map(({ pid }) => pid);
    expect([after.length, after.filter((pid) => before.includes(pid))]).toEqual([2, []]);
    await agents.page.run('go');
    expect(heard).toMatch(/The limit of 2 child processes is reached/);
    gate.open();
  });

  test('[P212] agents that delegate on and on come to an end at the limit of depth', async () => {
    const agents = await new Agents().ready();
    const refused: string[] = [];
    agents.other = (told) => {
      if (told.includes('delegate.result') || told.startsWith('proc: ')) {
        if (told.startsWith('proc: ')) refused.push(told);
        return says('enough');
      }
      return told.includes('child ') ? says('I wait') : shell('proc delegate deeper');
    };
    agents.scripts.set(HOME, runs('proc delegate deeper'));
    await agents.page.run('go');
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain('at most 5 processes above it');
    expect(await processes(agents)).toHaveLength(6);
  });

  test('[P212] an agent makes processes below itself alone', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Other', () => says('ok'));
    const sister = agents.page.call('proc.spawn', { profile: 'task', parentPid: pid });
    expect(await sister).toMatchObject({ ok: true });
    let heard = '';
    agents.scripts.set(HOME, (told) => {
      if (told === 'go') return shell('proc spawn --label Mine; proc tree');
      heard = told;
      return says('ok');
    });
    await agents.page.run('go');
    expect(heard).toMatch(/^init:1000 {2}init {2}running {2}Home\n└─ \S+ {2}task {2}idle {2}Mine$/m);
    expect(heard).toMatch(/^\S+ {2}task {2}idle {2}Other\n└─ \S+ {2}task {2}idle {2}-$/m);
  });
});

describe('the proc command', () => {
  test('[P213] explains itself by --help and in its manual', async () => {
    const agents = await new Agents().ready();
    const heard: string[] = [];
    agents.scripts.set(HOME, (told, asked) => {
      heard.push(told);
      return asked < 3
        ? shell(['proc --help', 'man proc', 'proc call'][asked] ?? '', `s${asked}`)
        : says('ok');
    });
    await agents.page.run('go');
    for (const page of heard.slice(1, 3)) {
      for (const name of [
        'list',
        'tree',
        'send',
        'call',
        'delegate',
        'spawn',
        'kill',
        'reset',
        'history',
        'watch',
      ])
        expect(page).toContain(`proc ${name}`);
      expect(page).toContain('its last answer comes back as an');
    }
    expect(heard[3]).toContain('say whom and what');
  });
});
