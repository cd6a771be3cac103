import { expect, test } from 'vitest';
import { Agents, HOME, shell } from '../../../tests/support/agents.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { turns } from '../../../tests/support/turns.ts';

/** Answers each message of the other with one of its own, whatever comes of it. */
const answersAlways = (other: () => string) => (told: string, asked: number) =>
  told.includes('ipc.message') || told === 'go'
    ? shell(`proc send ${other()} ping`, `c${asked}`)
    : says('sent');

async function pair(limit?: string) {
  const agents = await new Agents().ready();
  if (limit) {
    agents.kernel.kill();
    const root = await agents.kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
    await agents.kernel.boot();
    const roots = await agents.kernel.signedIn(root);
    await roots.call('sys.config.set', { key: 'config/process/max_hops', value: limit });
    agents.page = await agents.kernel.signedIn();
  }
  let worker = '';
  agents.scripts.set(
    HOME,
    answersAlways(() => worker),
  );
  worker = await agents.spawn(
    'Worker',
    answersAlways(() => HOME),
  );
  const resting = async (): Promise<boolean> => {
    await turns(30);
    const { processes } = await agents.page.call('proc.list', {});
    return processes.every(({ state }) => state === 'idle');
  };
  const sent = async (): Promise<number> =>
    [...(await agents.events(HOME)), ...(await agents.events(worker))].length;
  return { agents, resting, sent };
}

test('[P409] two processes that answer each other end after 32 messages, the sender and their person are told, and a person lets them go on', async () => {
  const { agents, resting, sent } = await pair();
  await agents.page.run('go');
  await expect.poll(resting).toBe(true);
  expect(await sent()).toBe(32);
  expect((await agents.lines(HOME)).join('\n')).toMatch(/Not sent: 32 messages have gone/);
  const { notifications } = await agents.page.call('notification.list', {});
  expect(notifications.map(({ title }) => title)).toEqual(['“Home” and “Worker” kept answering each other']);
  await agents.page.run('go');
  await expect.poll(sent).toBe(64);
});

test('[P409] the limit is a setting, and counts on after a restart', async () => {
  const { agents, resting, sent } = await pair('6');
  await agents.page.run('go');
  await agents.restart();
  await expect.poll(resting).toBe(true);
  expect(await sent()).toBe(6);
});
