import { describe, expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { exampleOf } from '../../../tests/support/example-args.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

/** Home runs one command when a person speaks, and is content with what it hears then. */
const commands =
  (...inputs: string[]) =>
  (told: string) => {
    const at = /^go (\d)/.exec(told)?.[1] ?? (told === 'go' ? '0' : null);
    const input = at === null ? undefined : inputs[Number(at)];
    return input === undefined ? says('noted') : shell(input);
  };

describe('proc send', () => {
  test('[P204] reaches another process of the same user as an event, begins a run there, and nothing comes back', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', () => says('done'));
    agents.scripts.set(HOME, commands(`proc send ${pid} fetch the post`));
    expect(await agents.page.run('go')).toMatchObject({ status: 'ok' });
    await expect
      .poll(() => agents.lines(pid))
      .toEqual([
        `user: [Process Event]: ipc.message from process ${HOME} “Home”\n\nfetch the post`,
        'assistant: done',
      ]);
    await turns(20);
    expect(await agents.events()).toEqual([]);
  });

  test('[P204] a process speaks with nobody else’s voice, not to itself, and to no process of another user', async () => {
    const agents = new Agents();
    await agents.ready();
    agents.kernel.kill();
    const bob = await agents.kernel.addAccount({ uid: 1001, username: 'bob', gids: [100] });
    await agents.restart();
    const bobs = await agents.kernel.signedIn(bob);
    await bobs.history();
    const said: string[] = [];
    agents.scripts.set(HOME, (told, asked) => {
      said.push(told);
      return asked < 3
        ? shell(
            ['proc send init:1001 hi', `proc send ${HOME} hi`, 'proc send nobody hi'][asked] ?? '',
            `c${asked}`,
          )
        : says('ok');
    });
    await agents.page.run('go');
    expect(said.slice(1).join()).toMatch(
      /Permission denied[\s\S]*cannot send to itself[\s\S]*Process not found/,
    );
    for (const name of ['proc.ipc.send', 'proc.ipc.call', 'proc.delegate', 'signal.watch'] as const)
      await expect(
        agents.page.peer.call(name, { pid: HOME, message: 'x', prompt: 'x', signal: 'device.status' }),
      ).rejects.toMatchObject({ code: expect.any(Number) });
    const letter = exampleOf('proc.ipc.deliver');
    await expect(agents.page.peer.call('proc.ipc.deliver', letter)).rejects.toMatchObject({ code: 403 });
    await expect(agents.page.call('proc.ipc.send', { pid: HOME, message: 'x' })).rejects.toMatchObject({
      code: 403,
    });
  });
});

/** Home, and a process that answers nothing until its gate opens. */
async function withSlow() {
  const clock = new ManualClock();
  const gate = new Gate();
  const agents = await new Agents({ clock }).ready();
  const pid = await agents.spawn('Slow', async () => {
    await gate.pass();
    return says('too late');
  });
  return { clock, gate, agents, pid };
}

describe('proc call', () => {
  test('[P205] is answered by the last words of the run that handles it, as an event', async () => {
    const agents = await new Agents().ready();
    const pid = await agents.spawn('Worker', (told) => (told.includes('ipc.call') ? says('42') : says('?')));
    agents.scripts.set(HOME, commands(`proc call ${pid} what is six times seven`));
    await agents.page.run('go');
    await expect.poll(() => agents.lines().then((all) => all.at(-1))).toBe('assistant: noted');
    await expect.poll(() => agents.events()).toHaveLength(1);
    const [reply = ''] = await agents.events();
    expect(reply).toMatch(/^ipc\.reply [0-9a-f-]+: process .* “Worker” answered\n\n42$/);
    const [request = ''] = await agents.events(pid);
    expect(request).toMatch(/^ipc\.call [0-9a-f-]+ from process init:1000 [\s\S]*what is six times seven$/);
  });

  test('[P205] the answer of a run that fails or is stopped, and the end of a process, are told, too', async () => {
    const gate = new Gate();
    const agents = await new Agents().ready();
    const waits = async () => {
      await gate.pass();
      return says('late');
    };
    const [failing, stopped, ended] = [
      await agents.spawn('Failing', () => ({
        kind: 'failed',
        error: 'no power',
        retryable: false,
        partial: [],
        usage: null,
      })),
      await agents.spawn('Stopped', waits),
      await agents.spawn('Ended', waits),
    ];
    agents.scripts.set(HOME, commands(`for p in ${failing} ${stopped} ${ended}; do proc call $p work; done`));
    await agents.page.run('go');
    await gate.reached();
    await expect.poll(async () => (await agents.page.call('proc.abort', { pid: stopped })).ok).toBe(true);
    await agents.page.call('proc.kill', { pid: ended });
    await expect.poll(() => agents.events()).toHaveLength(3);
    const told = (await agents.events()).join('\n');
    expect(told).toMatch(/“Failing” failed\n\nno power/);
    expect(told).toMatch(/“Stopped” was stopped/);
    expect(told).toMatch(/“Ended” (was stopped|can answer no more)/);
  });

  test('[P206] without an answer in time it ends by a timeout, once; what comes later is not sent', async () => {
    const { clock, gate, agents, pid } = await withSlow();
    agents.scripts.set(
      HOME,
      commands(`proc call ${pid} --timeout 5 hurry`, `proc call --timeout 3600 ${pid} x`),
    );
    await agents.page.run('go');
    await clock.advance(4_900);
    expect(await agents.events()).toEqual([]);
    await clock.advance(200);
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(/^ipc\.timeout .*“Slow” has not answered within 5 s/);
    gate.open();
    await expect.poll(() => agents.lines(pid).then((all) => all.at(-1))).toBe('assistant: too late');
    await turns(20);
    expect(await agents.events()).toHaveLength(1);
    const sent = agents.page.named('proc.run.finished').length;
    await agents.page.run('go 1');
    expect(sent).toBeGreaterThan(0);
    await clock.advance(600_000);
    await expect.poll(() => agents.events()).toHaveLength(2);
  });

  test('[P206] whose deadline passed while no kernel ran ends when one runs again', async () => {
    const { clock, agents, pid } = await withSlow();
    agents.scripts.set(HOME, commands(`proc call ${pid} --timeout 60 hurry`));
    await agents.page.run('go');
    agents.kernel.kill();
    await clock.advance(120_000);
    await agents.restart();
    await clock.advance(1);
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toContain('ipc.timeout');
  });

  test('[P208] who is asked and asks others itself answers when it has heard from them', async () => {
    const gate = new Gate();
    const agents = await new Agents().ready();
    const third = await agents.spawn('Third', async () => {
      await gate.pass();
      return says('the number is 7');
    });
    const second = await agents.spawn('Second', (told) => {
      if (told.includes('ipc.call')) return shell(`proc call ${third} which number`);
      return says(told.includes('ipc.reply') ? 'Third says 7' : 'I have asked Third');
    });
    agents.scripts.set(HOME, commands(`proc call ${second} ask Third`));
    await agents.page.run('go');
    await gate.reached();
    await expect
      .poll(() => agents.lines(second).then((all) => all.at(-1)))
      .toBe('assistant: I have asked Third');
    await turns(20);
    expect(await agents.events()).toEqual([]);
    gate.open();
    await expect.poll(() => agents.events()).toHaveLength(1);
    expect((await agents.events())[0]).toMatch(/answered\n\nThird says 7$/);
  });

  test('[P208] two processes that ask each other in a ring end by timeout', async () => {
    const clock = new ManualClock();
    const agents = await new Agents({ clock }).ready();
    const asks = (pid: () => string) => (told: string) =>
      told.includes('ipc.call') ? shell(`proc call ${pid()} --timeout 30 you first`) : says('I wait');
    let [a, b] = ['', ''];
    a = await agents.spawn(
      'A',
      asks(() => b),
    );
    b = await agents.spawn(
      'B',
      asks(() => a),
    );
    agents.scripts.set(HOME, commands(`proc call ${a} --timeout 300 solve it`));
    await agents.page.run('go');
    await turns(200);
    for (let step = 0; step < 40; step += 1) {
      await clock.advance(10_000);
      await turns(20);
    }
    await expect.poll(() => agents.events()).toHaveLength(1);
    const told = [...(await agents.events(a)), ...(await agents.events(b))];
    expect(told.some((event) => event.startsWith('ipc.timeout'))).toBe(true);
    const { processes } = await agents.page.call('proc.list', {});
    expect(processes.map(({ state }) => state)).toEqual(['idle', 'idle', 'idle']);
    const requests = agents.kernel.models.requests.length;
    await clock.advance(3_600_000);
    await turns(20);
    expect(agents.kernel.models.requests.length).toBe(requests);
  });
});
