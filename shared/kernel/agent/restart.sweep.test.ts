import { beforeAll, describe, expect, test } from 'vitest';
import { FakeRoom } from '../../../tests/support/fake-room.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { Life } from '../../../tests/support/mortal.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';
import { turn } from '../../../tests/support/turns.ts';

/**
 * Two turns of tools, one after the other, with effects here and on a device, then an answer; known from the history
 * alone, but for the device's command: a model that is asked again says something else.
 */
const script: Script = ({ messages }, asked) => {
  const step = messages.filter(({ role }) => role === 'assistant').length + 1;
  if (step > 2) return says('done');
  return calls(
    { name: 'Shell', args: { target: 'gsv', input: `echo line${step} >> log.txt` }, id: `here-${step}` },
    { name: 'Shell', args: { target: 'laptop', input: `do ${step}, ${asked}` }, id: `there-${step}` },
    {
      name: 'Read',
      args: { target: 'gsv', path: '~/context.d/00-role.md', limit: step },
      id: `read-${step}`,
    },
  );
};

const prepared = new MemoryDisk();
beforeAll(async () => {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('sys.config.set', {
    key: 'users/1000/ai/tools/approval',
    value: '{"default":"auto","rules":[]}',
  });
  kernel.kill();
  prepared.copyFrom(kernel.disk);
});

function world() {
  const done: string[] = [];
  const room = new FakeRoom(async ({ args }) => {
    done.push((args as { input: string }).input);
    await turn();
    return { data: { status: 'completed', output: 'ok', exitCode: 0 } };
  });
  const kernel = new TestKernel(script, { dialer: room });
  kernel.disk.copyFrom(prepared);
  room.join(kernel.disk);
  return { done, room, kernel };
}

/** Sends two messages, as far as the kernel lives. Resolves with those that it acknowledged. */
async function converse(kernel: TestKernel, life: Life): Promise<string[]> {
  const acknowledged: string[] = [];
  const talk = async (): Promise<void> => {
    await kernel.boot(life);
    const page = await kernel.signedIn();
    for (const text of ['go', 'and more']) {
      await page.send(text);
      acknowledged.push(text);
    }
    await settled(page, acknowledged, () => life.alive);
  };
  await Promise.race([talk(), life.over]);
  return acknowledged;
}

/** Waits until nothing runs and everything acknowledged was answered, or nobody is there to do it any more. */
async function settled(
  page: TestPage,
  acknowledged: string[],
  alive: () => boolean = () => true,
): Promise<string[]> {
  for (;;) {
    const { processes } = await page.call('proc.list', {});
    const history = lines((await page.history()).messages);
    const busy = processes.some(({ state }) => state === 'running' || state === 'waiting');
    if (!busy && (acknowledged.length === 0 || history.at(-1) === 'assistant: done')) return history;
    if (!alive()) return history;
    await turn();
  }
}

async function appended(page: TestPage): Promise<string[]> {
  const read = await page.call('shell.exec', { input: 'cat log.txt' });
  return 'output' in read && 'exitCode' in read && read.exitCode === 0 ? read.output.trim().split('\n') : [];
}

/** What the history says was asked of the device. */
function deviceCommands(messages: Awaited<ReturnType<TestPage['history']>>['messages']): string[] {
  type Call = { type: string; arguments?: { target: string; input: string } };
  const blocks = messages.flatMap(({ content }) => (content as { blocks?: Call[] }).blocks ?? []);
  return blocks.flatMap((block) => (block.arguments?.target === 'laptop' ? [block.arguments.input] : []));
}

const duplicates = (list: string[]): string[] => list.filter((item, at) => list.indexOf(item) !== at);

async function check(moments: number[]): Promise<boolean> {
  const { done, kernel } = world();
  const life = new Life(moments[0]);
  const acknowledged = await converse(kernel, life);
  const died = !life.alive;
  for (const moment of moments.slice(1)) {
    const next = new Life(moment);
    await Promise.race([kernel.boot(next).then(() => new Promise(() => {})), next.over, hundredTurns()]);
    next.end();
  }
  const page = await kernel.restart();
  const history = await settled(page, acknowledged);
  const where = `killed at ${moments.join(', ')}`;
  const { messages } = await page.history();
  expect(problems(messages), where).toEqual([]);
  const users = history.filter((line) => line.startsWith('user: '));
  expect(users, where).toEqual(expect.arrayContaining(acknowledged.map((text) => `user: ${text}`)));
  expect(duplicates(users), where).toEqual([]);
  expect(duplicates(done), where).toEqual([]);
  const here = await appended(page);
  expect(duplicates(here), where).toEqual([]);
  if (acknowledged.includes('go')) {
    expect(done, where).toEqual(deviceCommands(messages));
    expect(
      done.map((command) => command.slice(0, 4)),
      where,
    ).toEqual(['do 1', 'do 2']);
    for (const line of ['line1', 'line2']) {
      if (!here.includes(line)) expect(history.join('\n'), where).toContain('Interrupted: GSV was restarted');
    }
  }
  kernel.kill();
  return died;
}

async function hundredTurns(): Promise<void> {
  for (let left = 100; left > 0; left -= 1) await turn();
}

describe('a kernel that is killed', () => {
  test('[P21] at every single moment of a run goes on from its disk: nothing acknowledged is lost, nothing done twice', async () => {
    let moment = 0;
    while (await check([moment])) moment += 1;
    expect(moment).toBeGreaterThan(30);
  }, 60_000);

  test('[P21] again and again, at moments by chance, still comes to the same end', async () => {
    let seed = 7;
    const below = (bound: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed % bound;
    };
    for (let round = 0; round < 12; round += 1) await check([below(60), below(40), below(40)]);
  }, 60_000);
});

describe('a device call in flight', () => {
  test('[P22] is asked for again under its key when the link comes back, and was executed once', async () => {
    const { room, kernel, done } = world();
    await kernel.boot();
    const page = await kernel.signedIn();
    await expect.poll(async () => (await page.call('sys.device.list', {})).devices.length).toBe(1);
    const { runId } = await page.send('go');
    await expect.poll(() => room.calls.length, { interval: 1 }).toBeGreaterThan(0);
    room.drop();
    await page.finished(runId);
    expect(done.map((command) => command.slice(0, 4))).toEqual(['do 1', 'do 2']);
    expect(new Set(room.calls.map(({ key }) => key)).size).toBe(2);
    expect(problems((await page.history()).messages)).toEqual([]);
    expect(lines((await page.history()).messages).join('\n')).not.toContain('503');
  });

  test('[P22] of another turn or run has another key, and the same call of one run the same', async () => {
    const { room, kernel } = world();
    await kernel.boot();
    const page = await kernel.signedIn();
    await expect.poll(async () => (await page.call('sys.device.list', {})).devices.length).toBe(1);
    await page.run('go');
    expect(room.executed).toEqual([...new Set(room.executed)]);
    expect(room.executed.map((key) => key.split(':').slice(0, 2).join(':'))).toEqual([
      'init:1000',
      'init:1000',
    ]);
  });

  test('[P22] that goes on with a session and names no target is asked for again, too', async () => {
    const gate = new Gate();
    const room = new FakeRoom(async ({ args }) => {
      if (!('sessionId' in (args as object)))
        return { data: { status: 'running', output: '', sessionId: 's1' } };
      await gate.pass();
      return { data: { status: 'completed', output: 'all of it', exitCode: 0 } };
    });
    const kernel = new TestKernel(
      (_request, asked) => {
        if (asked === 0) return calls({ name: 'Shell', args: { target: 'laptop', input: 'make' } });
        return asked === 1 ? calls({ name: 'Shell', args: { input: '', sessionId: 's1' } }) : says('done');
      },
      { dialer: room },
    );
    kernel.disk.copyFrom(prepared);
    room.join(kernel.disk);
    await kernel.boot();
    const page = await kernel.signedIn();
    await expect.poll(async () => (await page.call('sys.device.list', {})).devices.length).toBe(1);
    const { runId } = await page.send('go');
    await gate.reached();
    room.drop();
    gate.open();
    await page.finished(runId);
    expect(lines((await page.history()).messages).join()).toContain('all of it');
    expect(room.executed).toHaveLength(2);
    expect(room.calls).toHaveLength(3);
  });
});
