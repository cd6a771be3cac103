import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/browser.ts';
import { TestKernel, type TestPage } from '../../support/kernel.ts';
import { nodeDialer } from '../../support/node-dialer.ts';
import { says } from '../../support/scripted-models.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { paired, type Row, rowOf } from '../row.ts';
import { seedDisk } from '../seed-disk.ts';
import { settled } from '../settled.ts';
import { type BenchSite, distDir } from '../site.ts';

const RUNS = 7;
const MANY = 1000;
const FEW = 10;
const MESSAGES = 100;
const OPEN = 100;

type Gsv = { server: TestServer; page: TestPage; bytes(): number; stop(): Promise<void> };

/** A new browser's way into a GSV, until it lists what is there: with many conversations against few, in the page and in the kernel. */
export async function join(_site: BenchSite): Promise<Row[]> {
  const [many, few, browser] = await Promise.all([served(MANY), served(FEW), launchBrowser()]);
  try {
    const pairs = await paired(
      RUNS,
      () => joining(many, MANY),
      () => joining(few, FEW),
      2,
    );
    const inPage = await paired(
      RUNS,
      () => joiningInPage(browser, many),
      () => joiningInPage(browser, few),
      2,
    );
    const name = `join, ${MANY} conversations of ${MESSAGES} messages`;
    const peer = `the same with ${FEW} conversations`;
    return [
      rowOf({ name: `${name}, in the page`, peer, unit: 'ms', budget: 1.5 }, inPage),
      rowOf({ name: `${name}, the kernel alone`, peer, unit: 'ms', budget: null }, pairs),
      await perMessage(few),
      await memory(many),
    ];
  } finally {
    await Promise.all([browser.close(), many.stop(), few.stop()]);
  }
}

/** A server that has everything of a GSV with so many conversations. */
async function served(conversations: number): Promise<Gsv> {
  const server = await startServer({ distDir });
  let total = 0;
  const traffic = (_way: string, bytes: number): void => {
    total += bytes;
  };
  const kernel = new TestKernel(() => says('An answer of some words, as they are.'), {
    dialer: nodeDialer(server.socketUrl, traffic),
  });
  await kernel.ready();
  await kernel.kernel.stop();
  await seedDisk(kernel.disk, { conversations, messages: MESSAGES });
  const page = await kernel.restart();
  await page.call('sys.join', { secret: server.claimSecret });
  await settled(page);
  return {
    server,
    page,
    bytes: () => total,
    stop: async () => {
      await kernel.kernel.stop();
      await server.stop();
    },
  };
}

/** Milliseconds from following the link until the list is there. */
async function joining({ server, page }: Gsv, conversations: number): Promise<number> {
  const { secret } = await page.call('sys.invite.create', {});
  const newcomer = new TestKernel(() => says('ok'), { dialer: nodeDialer(server.socketUrl) });
  await newcomer.boot();
  const joined = newcomer.page();
  const started = performance.now();
  const { session } = await joined.call('sys.join', { secret });
  if (!session) throw new Error('There is no session');
  await joined.connect({ username: session.username, token: session.token });
  const { rows } = await joined.call('view.open', { view: 'processes' });
  const taken = performance.now() - started;
  if (rows.length < conversations) throw new Error(`Only ${rows.length} conversations are listed`);
  await newcomer.kernel.stop();
  return taken;
}

/** Milliseconds from the click on "Open it here" in a new browser profile until the list is painted. */
async function joiningInPage(browser: Browser, { server, page }: Gsv): Promise<number> {
  const { secret } = await page.call('sys.invite.create', {});
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    await tab.goto(`${server.url}/#invite=${secret}`);
    const button = tab.getByRole('button', { name: 'Open it here' });
    await button.waitFor();
    return await button.evaluate(listed, FEW);
  } finally {
    await context.close();
  }
}

/** In the page. Whoever is listed beside the conversations is the person's own process. */
function listed(button: Element, conversations: number): Promise<number> {
  return new Promise((resolve) => {
    const started = performance.now();
    new MutationObserver((_changes, observer) => {
      if (document.querySelectorAll('nav a[href^="/chat/"] time').length <= conversations) return;
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
    }).observe(document.body, { childList: true, subtree: true });
    (button as HTMLElement).click();
  });
}

/** Bytes of all frames, both ways, of one message and its answer of 37 characters, against the text itself. */
async function perMessage({ page, bytes }: Gsv): Promise<Row> {
  const text = 'a message of some words';
  await page.run(text);
  await settled(page);
  const before = bytes();
  for (let n = 0; n < 10; n += 1) await page.run(text);
  await settled(page);
  const ours = (bytes() - before) / 10 / 1000;
  const theirs = (text.length + 37) / 1000;
  const described = {
    name: 'bytes on the wire of a turn',
    peer: 'its text alone',
    budget: null,
  };
  return rowOf({ ...described, unit: 'kB' }, [{ ours, theirs }]);
}

/** Resident memory of workerd with many documents open, against the same before. */
async function memory({ server, page }: Gsv): Promise<Row> {
  const resident = (): number => {
    const status = readFileSync(`/proc/${server.workerdPid()}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN);
  };
  const theirs = resident();
  const { processes } = await page.call('proc.list', {});
  for (const { pid } of processes.slice(0, OPEN / 2)) await page.history(pid);
  await settled(page);
  const described = {
    name: `room memory, ${OPEN} documents open`,
    peer: 'the same room before',
    budget: 1.5,
  };
  return rowOf({ ...described, unit: 'kB' }, [{ ours: resident(), theirs }]);
}
