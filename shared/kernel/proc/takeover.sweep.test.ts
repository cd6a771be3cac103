import { describe, expect, test } from 'vitest';
import { Gate } from '../../../tests/support/gate.ts';
import { lines, problems } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { calls, type Script, says } from '../../../tests/support/scripted-models.ts';

const DAY = 24 * 3_600_000;
const ANSWERED = { data: { status: 'completed', output: 'done on the laptop', exitCode: 0 } };

/** Two commands on the device, one after the other, then an answer. What was done is read from the history alone. */
const work: Script = ({ messages }) => {
  const step = messages.filter(({ role }) => role === 'toolResult').length + 1;
  if (step > 2) return says('all done');
  return calls({ name: 'Shell', args: { target: 'laptop', input: `step ${step}` }, id: `call-${step}` });
};

/** Both browsers; the device waits at a gate before it answers, when there is one. */
async function working(options: { gate?: Gate; a?: Script; b?: Script } = {}) {
  const pair = await KernelPair.start(options.a ?? work, options.b ?? options.a ?? work);
  await pair.device(async () => {
    await options.gate?.pass();
    return ANSWERED;
  });
  return pair;
}

async function historyOf(pair: KernelPair, page: TestPage, pid?: string) {
  const read = await pair.passing(page.call('proc.history', { limit: 1000, ...(pid ? { pid } : {}) }));
  if (!read.ok) throw new Error(read.error);
  return read.messages;
}

/** Of the leases under which devices were called. */
const epochs = (pair: KernelPair): (number | undefined)[] =>
  pair.room.calls.flatMap(({ call, lease }) => (call === 'shell.exec' ? [lease?.epoch] : []));

const done = async (page: TestPage, pid: string, last: string): Promise<boolean> => {
  const read = await page.call('proc.history', { pid });
  return read.ok && lines(read.messages).at(-1) === last;
};

/** A model answers when the lease of the browser that asked has run out, and cannot be renewed. */
async function answeredCutOff(pair: KernelPair, gate: Gate): Promise<void> {
  pair.hosts.a.cut();
  await pair.pass(70_000);
  gate.open();
  await pair.pass(30_000);
}

const results = (messages: Awaited<ReturnType<typeof historyOf>>): string[] =>
  lines(messages).filter((line) => line.startsWith('toolResult'));

describe('a run whose browser has gone', () => {
  test('[P56] is taken over by a person, and its call on a device is not executed a second time', async () => {
    const gate = new Gate();
    const pair = await working({ gate });
    const { a, b } = pair.pages;
    const { runId } = await pair.passing(a.send('go'));
    await pair.passing(gate.reached());
    await pair.until(() => done(b, 'init:1000', 'assistant: toolCall'), 'b sees the call');
    expect(await pair.passing(b.call('proc.takeover', {}))).toMatchObject({
      ok: false,
      error: expect.stringContaining('connected'),
    });
    pair.a.kill();
    pair.hosts.a.cut();
    await pair.pass(2_000);
    const taken = await pair.passing(b.call('proc.takeover', {}));
    expect(taken).toEqual({ ok: true, runId });
    gate.open();
    await pair.passing(b.finished(runId));
    const messages = await historyOf(pair, b);
    expect([problems(messages), results(messages).length, lines(messages).at(-1)]).toEqual([
      [],
      2,
      'assistant: all done',
    ]);
    expect(pair.executed).toHaveLength(2);
    expect(pair.calls.map(({ key }) => key)).toEqual([pair.executed[0], pair.executed[0], pair.executed[1]]);
    expect(epochs(pair)).toEqual([1, 2, 2]);
    pair.hosts.a.mend();
    await pair.passing(pair.a.boot());
    const back = await pair.passing(pair.a.signedIn());
    const gone = async () => (await historyOf(pair, back)).length === messages.length + 1;
    await pair.until(gone, 'the former owner ends its run');
    const after = lines(await historyOf(pair, back));
    expect(after).toContain('system: This run went on in another browser.');
    expect([pair.executed.length, pair.a.models.requests.length]).toEqual([2, 1]);
  });

  test('[P56] by force also while its browser is connected, which then does nothing more', async () => {
    const gate = new Gate();
    const waiting: Script = async (request, turn) => {
      await gate.pass();
      return work(request, turn);
    };
    const pair = await working({ a: waiting, b: work });
    const { a, b } = pair.pages;
    const { runId } = await pair.passing(a.send('go'));
    await pair.passing(gate.reached());
    await pair.until(() => done(b, 'init:1000', 'user: go'), 'b sees the run');
    expect(await pair.passing(b.call('proc.takeover', { force: true }))).toEqual({ ok: true, runId });
    await pair.passing(b.finished(runId));
    gate.open();
    await pair.pass(30_000);
    expect(pair.executed).toHaveLength(2);
    expect(epochs(pair)).toEqual([2, 2]);
    const messages = await historyOf(pair, a);
    expect([problems(messages), lines(messages).at(-1)]).toEqual([[], 'assistant: all done']);
    expect(await pair.passing(a.run('again'))).toMatchObject({ status: 'ok' });
  });

  test('[P56] what ran natively there is reported as interrupted, a read is repeated', async () => {
    const gate = new Gate();
    const native: Script = async ({ messages }) => {
      if (messages.at(-1)?.role !== 'user') return says('all done');
      return calls(
        { name: 'Shell', args: { target: 'gsv', input: 'sleep 25; echo late' }, id: 'write' },
        { name: 'Read', args: { target: 'gsv', path: '~/context.d' }, id: 'read' },
        { name: 'Shell', args: { target: 'laptop', input: 'far' }, id: 'far' },
      );
    };
    const pair = await working({ gate, a: native });
    const { runId } = await pair.passing(pair.pages.a.send('go'));
    await pair.passing(gate.reached());
    const called = 'assistant: toolCall toolCall toolCall';
    await pair.until(() => done(pair.pages.b, 'init:1000', called), 'b sees the calls');
    await pair.pass(1_000);
    pair.a.kill();
    pair.hosts.a.cut();
    await pair.pass(1_000);
    expect(await pair.passing(pair.pages.b.call('proc.takeover', {}))).toMatchObject({ ok: true });
    gate.open();
    await pair.passing(pair.pages.b.finished(runId));
    const told = results(await historyOf(pair, pair.pages.b));
    expect(told).toEqual([
      expect.stringContaining('Interrupted: the browser that ran this was lost'),
      expect.not.stringContaining('Interrupted'),
      expect.stringContaining('done on the laptop'),
    ]);
  });
});

describe('a frozen browser', () => {
  for (const skew of [0, DAY, -DAY]) {
    test(`[P57] that wakes with an old lease does nothing more; its clock is ${skew / 3_600_000} h off`, async () => {
      const gate = new Gate();
      const slow: Script = async (request, turn) => {
        if (request.messages.length > 1) await gate.pass();
        return work(request, turn);
      };
      const pair = await KernelPair.start(slow, work);
      pair.hosts.a.skew = skew;
      pair.hosts.b.skew = -skew;
      await pair.device(() => ANSWERED);
      const { a, b } = pair.pages;
      const { runId } = await pair.passing(a.send('go'));
      await pair.passing(gate.reached());
      await pair.until(async () => results(await historyOf(pair, b)).length === 1, 'b sees the first result');
      pair.hosts.a.freeze();
      await pair.pass(70_000);
      expect(await pair.passing(b.call('proc.takeover', {}))).toEqual({ ok: true, runId });
      await pair.passing(b.finished(runId));
      const before = pair.calls.length;
      // The model's answer comes before anything that the room had to say.
      gate.open();
      for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(pair.calls).toHaveLength(before);
      pair.hosts.a.thaw();
      await pair.pass(60_000);
      expect([pair.executed.length, pair.calls.length]).toEqual([2, 2]);
      const [here, there] = [await historyOf(pair, a), await historyOf(pair, b)];
      expect(lines(here)).toEqual(lines(there));
      expect([problems(here), results(here).length]).toEqual([[], 2]);
    });
  }

  test('[P374] does not ask its model again without its lease, and goes on where it was when it has it', async () => {
    const gate = new Gate();
    const forNothing = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.5 };
    const ill: Script = async (_request, turn) => {
      if (turn > 0) return says('well again');
      await gate.pass();
      return {
        kind: 'failed',
        error: 'the provider is busy',
        retryable: true,
        partial: [],
        usage: forNothing,
      };
    };
    const pair = await working({ a: ill });
    const { a } = pair.pages;
    const { runId } = await pair.passing(a.send('go'));
    await pair.passing(gate.reached());
    await answeredCutOff(pair, gate);
    expect(pair.a.models.requests).toHaveLength(1);
    pair.hosts.a.mend();
    const finished = await pair.passing(a.finished(runId));
    const usage = { input: 110, cost: 0.501 };
    expect(finished.payload).toMatchObject({ status: 'ok', text: 'well again', usage });
    expect(lines(await historyOf(pair, a))).toEqual(['user: go', 'assistant: well again']);
  });

  test('[P57] pauses when it cannot renew its lease, says so, and goes on when it can', async () => {
    const gate = new Gate();
    const slow: Script = async (request, turn) => {
      if (request.messages.length > 1) await gate.pass();
      return work(request, turn);
    };
    const pair = await working({ a: slow });
    const { a } = pair.pages;
    const view = await pair.passing(a.call('view.open', { view: 'processes' }));
    const { runId } = await pair.passing(a.send('go'));
    await pair.passing(gate.reached());
    await answeredCutOff(pair, gate);
    expect([pair.executed.length, pair.a.models.requests.length]).toEqual([1, 2]);
    const patches = a.named('view.patch').filter(({ viewId }) => viewId === view.viewId);
    expect(JSON.stringify(patches)).toContain('waiting for the server');
    expect(a.named('proc.run.finished')).toEqual([]);
    pair.hosts.a.mend();
    await pair.passing(a.finished(runId));
    const messages = await historyOf(pair, a);
    expect([problems(messages), pair.executed.length]).toEqual([[], 2]);
    expect(lines(messages).at(-1)).toBe('assistant: all done');
  });
});

describe('background work', () => {
  test('[P58] goes on elsewhere by itself when its lease has ended, and only then', async () => {
    const gate = new Gate();
    const pair = await working({ gate });
    const { a, b } = pair.pages;
    const spawned = await pair.passing(a.call('proc.spawn', { profile: 'cron', prompt: 'go' }));
    const watched = await pair.passing(a.call('proc.spawn', { profile: 'review', prompt: 'go' }));
    if (!spawned.ok || !watched.ok) throw new Error('not spawned');
    await pair.passing(gate.reached());
    for (const { pid } of [spawned, watched])
      await pair.until(() => done(b, pid, 'assistant: toolCall'), 'b sees the call');
    await pair.pass(90_000);
    expect(pair.b.models.requests).toEqual([]);
    pair.a.kill();
    pair.hosts.a.cut();
    await pair.pass(50_000);
    expect(pair.b.models.requests).toEqual([]);
    gate.open();
    await pair.pass(80_000);
    await pair.until(() => done(b, spawned.pid, 'assistant: all done'), 'b goes on');
    expect(problems(await historyOf(pair, b, spawned.pid))).toEqual([]);
    expect(lines(await historyOf(pair, b, watched.pid)).at(-1)).toBe('assistant: toolCall');
    const own = pair.executed.filter((key) => key.includes(spawned.pid));
    expect([own.length, new Set(own).size]).toEqual([2, 2]);
  });
});

describe('browsers apart', () => {
  test('[P59] each go on for themselves; both histories come together, each run whole', async () => {
    const echo: Script = ({ messages }) => {
      const said = messages.findLast(({ role }) => role === 'user')?.content[0];
      return says(`re ${said && 'text' in said ? said.text : ''}`);
    };
    const pair = await KernelPair.start(echo);
    const { a, b } = pair.pages;
    await pair.passing(a.run('together'));
    await pair.until(() => done(b, 'init:1000', 'assistant: re together'), 'b has it');
    for (const host of [pair.hosts.a, pair.hosts.b]) host.cut();
    await pair.pass(1_000);
    for (const text of ['a1', 'a2']) await pair.passing(a.run(text));
    for (const text of ['b1', 'b2']) await pair.passing(b.run(text));
    for (const host of [pair.hosts.a, pair.hosts.b]) host.mend();
    const same = async () =>
      (await historyOf(pair, a)).length === 10 && (await historyOf(pair, b)).length === 10;
    await pair.until(same, 'both have everything');
    const here = await historyOf(pair, a);
    expect(here.map(({ id }) => id)).toEqual((await historyOf(pair, b)).map(({ id }) => id));
    expect(problems(here)).toEqual([]);
    const said = lines(here).map((line) => line.replace(/^\w+: (re )?/, ''));
    expect(said).toEqual(said.flatMap((text, at) => (at % 2 === 0 ? [text, text] : [])));
    expect(pair.a.models.requests.length + pair.b.models.requests.length).toBe(5);
  });

  test('[P59] a message queued while its browser is cut off is answered there, once', async () => {
    const gate = new Gate();
    const pair = await KernelPair.start(async () => {
      await gate.pass();
      return says('ok');
    });
    const { a, b } = pair.pages;
    pair.hosts.a.cut();
    await pair.pass(1_000);
    await pair.passing(a.send('one'));
    await pair.passing(gate.reached());
    const next = await pair.passing(a.send('two'));
    expect(next.queued).toBe(true);
    gate.open();
    await pair.passing(a.finished(next.runId));
    pair.hosts.a.mend();
    await pair.until(async () => (await historyOf(pair, b)).length === 4, 'b has both');
    await pair.pass(20_000);
    expect(lines(await historyOf(pair, b))).toEqual([
      'user: one',
      'assistant: ok',
      'user: two',
      'assistant: ok',
    ]);
    expect(pair.b.models.requests).toEqual([]);
  });

  test('[P95] a run that ended apart is not shown as going on after a restart, once the other’s is over', async () => {
    const gate = new Gate();
    const pair = await KernelPair.start(
      () => says('ok'),
      async () => {
        await gate.pass();
        return says('ok');
      },
    );
    const { b } = pair.pages;
    await pair.passing(b.send('one'));
    await pair.passing(b.send('two'));
    await pair.until(() => done(pair.pages.a, 'init:1000', 'user: one'), 'a sees the run');
    pair.hosts.a.cut();
    await pair.pass(1_000);
    await pair.passing(pair.pages.a.run('apart'));
    pair.a.kill();
    await pair.passing(pair.a.boot());
    const a = await pair.passing(pair.a.signedIn());
    gate.open();
    await pair.pass(5_000);
    pair.hosts.a.mend();
    const states = async (): Promise<string[]> => {
      const lists = await Promise.all([a, b].map((page) => page.call('proc.list', {})));
      return lists.flatMap(({ processes }) => processes.map(({ state }) => state));
    };
    const idle = async (): Promise<boolean> => (await states()).every((state) => state === 'idle');
    await pair.until(idle, 'nothing goes on in the eyes of both');
  });

  test('[S53] archives of resets made apart are in one directory of their process', async () => {
    const pair = await KernelPair.start(() => says('ok'));
    const pages = [pair.pages.a, pair.pages.b];
    await pair.passing(pages[0]?.run('together') ?? Promise.reject(new Error('no page')));
    await pair.until(() => done(pair.pages.b, 'init:1000', 'assistant: ok'), 'b has it');
    for (const host of [pair.hosts.a, pair.hosts.b]) host.cut();
    await pair.pass(1_000);
    for (const page of pages)
      expect(await pair.passing(page.call('proc.reset', {}))).toMatchObject({ ok: true });
    for (const host of [pair.hosts.a, pair.hosts.b]) host.mend();
    for (const page of pages) {
      const list = async (path: string): Promise<readonly string[]> => {
        const read = await page.call('fs.read', { path });
        return read.ok && 'directories' in read ? read.directories : [];
      };
      const both = async (): Promise<boolean> => (await list('/var/sessions/ada/init:1000')).length === 2;
      await pair.until(both, 'both archives are there');
      expect(await pair.passing(list('/var/sessions/ada'))).toEqual(['init:1000']);
    }
  });

  for (const slow of ['a', 'b'] as const)
    test(`[P96] a run that goes on in ${slow} is shown as going on, although one that ended apart said that nothing does`, async () => {
      const gate = new Gate();
      const held: Script = async () => {
        await gate.pass();
        return says('ok');
      };
      const ready: Script = () => says('ok');
      const pair = await KernelPair.start(slow === 'a' ? held : ready, slow === 'a' ? ready : held);
      for (const host of [pair.hosts.a, pair.hosts.b]) host.cut();
      await pair.pass(1_000);
      await pair.passing(pair.pages[slow].send('long'));
      await pair.passing(pair.pages[slow === 'a' ? 'b' : 'a'].run('short'));
      for (const host of [pair.hosts.a, pair.hosts.b]) host.mend();
      for (const page of [pair.pages.a, pair.pages.b]) {
        const seen = async (): Promise<boolean> => {
          const read = await page.call('proc.history', {});
          return read.ok && read.messages.length >= 3;
        };
        await pair.until(seen, 'both messages are there');
      }
      const running = async (): Promise<boolean> => {
        const lists = [pair.pages.a, pair.pages.b].map((page) => page.call('proc.list', {}));
        const states = (await Promise.all(lists)).flatMap(({ processes }) => processes);
        return states.every(({ state }) => state === 'running');
      };
      await pair.until(running, 'it is shown as going on');
      gate.open();
      await pair.until(() => done(pair.pages.a, 'init:1000', 'assistant: ok'), 'it ends');
    });
});
