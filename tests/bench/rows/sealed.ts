import { TestKernel, type TestPage } from '../../support/kernel.ts';
import { nodeDialer } from '../../support/node-dialer.ts';
import { says } from '../../support/scripted-models.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { addedRowOf, paired, type Row, rowOf } from '../row.ts';
import { seedDisk } from '../seed-disk.ts';
import { settled } from '../settled.ts';
import { type BenchSite, distDir } from '../site.ts';

/** Many: what a busy machine adds to one opening is as much as what is measured. */
const RUNS = 41;
const TURNS = 41;
const WARM_UPS = 5;
const MESSAGES = 10_000;
const PASSWORD = { username: 'ada', password: 'correct horse' };
const PEER = 'the same, not sealed';

type Gsv = { server: TestServer; page: TestPage; pid: string; stop(): Promise<void> };

/** What sealing costs: a long conversation that another browser has, opened for the first time, and a turn. */
export async function sealed(_site: BenchSite): Promise<Row[]> {
  const [ours, theirs] = await Promise.all([served(true), served(false)]);
  try {
    const opened = await paired(
      RUNS,
      () => openElsewhere(ours),
      () => openElsewhere(theirs),
      WARM_UPS,
    );
    const turns = await paired(
      TURNS,
      () => turn(ours),
      () => turn(theirs),
      WARM_UPS,
    );
    const name = `opening a conversation of ${MESSAGES} messages from the server, sealed`;
    return [
      rowOf({ name, peer: PEER, unit: 'ms', budget: 1.3 }, opened),
      addedRowOf({ name: 'agent turn, sealed', peer: PEER }, 2, turns),
    ];
  } finally {
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

/** A server that has everything of a GSV with one long conversation. */
async function served(isSealed: boolean): Promise<Gsv> {
  const server = await startServer({ distDir });
  const dialer = nodeDialer(server.socketUrl);
  const kernel = new TestKernel(() => says('An answer of some words, as they are.'), { dialer });
  await kernel.boot();
  await kernel.page().call('sys.setup', { ...PASSWORD, sealed: isSealed });
  await kernel.kernel.stop();
  const [pid = ''] = await seedDisk(kernel.disk, { conversations: 1, messages: MESSAGES });
  await kernel.boot();
  const page = kernel.page();
  await page.connect(PASSWORD);
  await page.call('sys.join', { secret: server.claimSecret });
  await settled(page);
  const stop = async (): Promise<void> => {
    await kernel.kernel.stop();
    await server.stop();
  };
  return { server, page, pid, stop };
}

/** Milliseconds until a browser that has joined, and has all but the conversation, has its last thousand messages. */
async function openElsewhere({ server, page, pid }: Gsv): Promise<number> {
  const { secret } = await page.call('sys.invite.create', {});
  const newcomer = new TestKernel(() => says('ok'), { dialer: nodeDialer(server.socketUrl) });
  await newcomer.boot();
  const { session } = await newcomer.page().call('sys.join', { secret });
  if (!session) throw new Error('There is no session');
  const joined = newcomer.page();
  await joined.connect({ username: session.username, token: session.token });
  // What else it reads as it joins is no part of this.
  await settled(joined);
  const started = performance.now();
  const { messages } = await joined.history(pid);
  const taken = performance.now() - started;
  if (messages.length === 0) throw new Error('The conversation is empty');
  await newcomer.kernel.stop();
  return taken;
}

/** Milliseconds from a message to the end of its run. */
async function turn({ page }: Gsv): Promise<number> {
  const started = performance.now();
  await page.run('a message of some words');
  return performance.now() - started;
}
