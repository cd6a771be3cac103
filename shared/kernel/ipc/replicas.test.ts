import { describe, expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { Gate } from '../../../tests/support/gate.ts';
import { lines } from '../../../tests/support/history.ts';
import type { TestPage } from '../../../tests/support/kernel.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { says } from '../../../tests/support/scripted-models.ts';

/** Two browsers of one GSV in which each process has one script, wherever it runs. */
async function paired(): Promise<{ pair: KernelPair; agents: Agents; worker: string }> {
  const agents = new Agents();
  const pair = await KernelPair.start((request) => agents.answer(request));
  const made = await pair.passing(pair.pages.a.call('proc.spawn', { profile: 'task', label: 'Worker' }));
  if (!made.ok) throw new Error(made.error);
  await pair.passing(pair.pages.a.history());
  const known = async () => (await pair.pages.b.call('proc.list', {})).processes.length === 2;
  await pair.until(known, 'b knows both processes');
  return { pair, agents, worker: made.pid };
}

async function events(page: TestPage, pid = HOME): Promise<string[]> {
  const read = await page.call('proc.history', { pid, limit: 1000 });
  const beginning = 'user: [Process Event]: ';
  if (!read.ok) return [];
  return lines(read.messages).flatMap((line) =>
    line.startsWith(beginning) ? [line.slice(beginning.length)] : [],
  );
}

const asks = (input: string) => (told: string) => (told.startsWith('go') ? shell(input) : says('noted'));

describe('processes of one GSV in two browsers', () => {
  test('[P230] who is asked may be at work in another browser; its answer comes once, to both', async () => {
    const gate = new Gate();
    const { pair, agents, worker } = await paired();
    agents.scripts.set(worker, async (told) => {
      if (told === 'begin') await gate.pass();
      return says(told.includes('ipc.call') ? '42' : 'begun');
    });
    agents.scripts.set(HOME, asks(`proc call ${worker} --timeout 300 six times seven`));
    await pair.passing(pair.pages.b.send('begin', worker));
    await pair.passing(gate.reached());
    await pair.passing(pair.pages.a.run('go'));
    gate.open();
    const both = async () =>
      (await events(pair.pages.a)).length === 1 && (await events(pair.pages.b)).length === 1;
    await pair.until(both, 'the answer comes');
    await pair.pass(400_000);
    expect(await events(pair.pages.a)).toEqual([expect.stringMatching(/^ipc\.reply .* answered\n\n42$/)]);
    expect(await events(pair.pages.b)).toHaveLength(1);
  });

  test('[P231] the deadline of a call is kept by whoever is there when its browser is gone', async () => {
    const { pair, agents, worker } = await paired();
    agents.scripts.set(worker, () => new Promise(() => {}));
    agents.scripts.set(HOME, asks(`proc call ${worker} --timeout 60 hurry`));
    await pair.passing(pair.pages.a.run('go'));
    const called = async () => (await events(pair.pages.b, worker)).length === 1;
    await pair.until(called, 'b knows of the call');
    await pair.pass(5_000);
    pair.a.kill();
    pair.hosts.a.cut();
    const told = async () => (await events(pair.pages.b)).length === 1;
    await pair.until(told, 'b tells of the timeout');
    expect((await events(pair.pages.b))[0]).toContain('ipc.timeout');
    pair.hosts.a.mend();
    await pair.passing(pair.a.boot());
    const back = await pair.passing(pair.a.signedIn());
    await pair.pass(120_000);
    expect(await events(back)).toHaveLength(1);
    expect(await events(pair.pages.b)).toHaveLength(1);
  });

  test('[P232] a signal that every browser hears is told to its watcher once', async () => {
    const { pair, agents } = await paired();
    agents.scripts.set(HOME, asks('proc watch notification.* --always'));
    await pair.passing(pair.pages.a.run('go'));
    await pair.pass(5_000);
    await pair.passing(pair.pages.b.call('notification.create', { title: 'look' }));
    const told = async () => (await events(pair.pages.a)).length > 0;
    await pair.until(told, 'it is told');
    await pair.pass(60_000);
    expect(await events(pair.pages.a)).toEqual([expect.stringMatching(/^signal notification\.created/)]);
    expect(await events(pair.pages.b)).toHaveLength(1);
  });

  test('[P232] a device that comes is told to its watcher once', async () => {
    const { pair, agents } = await paired();
    agents.scripts.set(HOME, asks('proc watch device.status'));
    await pair.passing(pair.pages.a.run('go'));
    await pair.pass(5_000);
    await pair.device(() => ({ data: {} }));
    const told = async () => (await events(pair.pages.b)).length > 0;
    await pair.until(told, 'it is told');
    await pair.pass(60_000);
    expect(await events(pair.pages.a)).toEqual([
      expect.stringMatching(/^signal device\.status\n[\s\S]*connected.*laptop/),
    ]);
  });

  test('[P232] the end of a run that goes on in another browser is told to its watcher, too', async () => {
    const { pair, agents, worker } = await paired();
    agents.scripts.set(worker, () => says('done'));
    agents.scripts.set(HOME, asks(`proc watch proc.run.finished --pid ${worker}`));
    await pair.passing(pair.pages.a.run('go'));
    await pair.pass(5_000);
    await pair.passing(pair.pages.b.run('work', worker));
    const told = async () => (await events(pair.pages.a)).length > 0;
    await pair.until(told, 'it is told');
    await pair.pass(60_000);
    expect(await events(pair.pages.b)).toEqual([expect.stringMatching(/^signal proc\.run\.finished of/)]);
  });
});
