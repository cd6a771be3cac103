import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesWith } from '../support/find-secret.ts';
import { ADA, TestKernel, type TestPage } from '../support/kernel.ts';
import { nodeDialer } from '../support/node-dialer.ts';
import { startServer, type TestServer, waitFor } from '../support/server.ts';

type Browser = { kernel: TestKernel; page: TestPage };

describe('a sealed GSV on the real server', () => {
  let server: TestServer;
  const browsers: Browser[] = [];
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    for (const { kernel } of browsers) await kernel.kernel.stop();
    await server?.stop();
  });

  const browser = async (): Promise<Browser> => {
    const kernel = await new TestKernel(undefined, { dialer: nodeDialer(server.socketUrl) }).boot();
    const opened = { kernel, page: kernel.page() };
    browsers.push(opened);
    return opened;
  };
  const joined = async (secret: string): Promise<Browser> => {
    const opened = await browser();
    const { session } = await opened.page.call('sys.join', { secret });
    await opened.page.connect({ username: session?.username ?? '', token: session?.token ?? '' });
    return opened;
  };
  const everythingStored = ({ page }: Browser): Promise<void> =>
    waitFor(async () => {
      const { link, waiting } = await page.call('sys.status', {});
      return link === 'online' && waiting === 0;
    }, 'everything to be at the server');
  const write = ({ page }: Browser, name: string, content: string) =>
    page.call('fs.write', { path: `/home/ada/${name}`, content });
  const reads = ({ page }: Browser, name: string, content: string): Promise<void> =>
    waitFor(async () => {
      const found = await page.call('fs.read', { path: `/home/ada/${name}` }).catch(() => null);
      return JSON.stringify(found).includes(content);
    }, `${name} to say ${content}`);
  const epochOf = async ({ page }: Browser): Promise<number> => (await page.call('sys.seal.get', {})).epoch;

  test('[S169] is set up, joined, edited on both sides, rid of a browser and recovered by its phrase; its disk says nothing', async () => {
    const founder = await browser();
    await founder.page.call('sys.setup', { ...ADA, sealed: true });
    await founder.page.connect();
    await founder.page.call('sys.join', { secret: server.claimSecret });
    await everythingStored(founder);

    const invite = async () => (await founder.page.call('sys.invite.create', {})).secret;
    const second = await joined(await invite());
    const goes = await joined(await invite());
    await write(founder, 'planted-one.txt', 'planted by the first');
    await write(second, 'planted-two.txt', `planted by the second ${'and large '.repeat(2_000)}`);
    await reads(second, 'planted-one.txt', 'planted by the first');
    await reads(founder, 'planted-two.txt', 'planted by the second');

    const { words } = await founder.page.call('sys.seal.phrase.make', {});
    const { replicaId } = await goes.page.call('sys.status', {});
    await founder.page.call('sys.replica.revoke', { replicaId });
    for (const one of [founder, second]) await waitFor(async () => (await epochOf(one)) === 2, 'the new key');
    const isOver = async () => (await founder.page.call('sys.seal.get', {})).resealing === null;
    await waitFor(isOver, 'everything to be sealed anew');
    await write(second, 'planted-late.txt', 'planted after the parting');
    await reads(founder, 'planted-late.txt', 'planted after the parting');
    await everythingStored(second);
    await everythingStored(founder);

    for (const { kernel } of browsers.splice(0)) await kernel.kernel.stop();
    const recovered = await joined(words.join(' '));
    await reads(recovered, 'planted-one.txt', 'planted by the first');
    await reads(recovered, 'planted-two.txt', 'planted by the second');
    await reads(recovered, 'planted-late.txt', 'planted after the parting');
    expect(filesWith(server.dataDir, 'ada')).not.toEqual([]);
    expect(filesWith(server.dataDir, 'planted')).toEqual([]);
    expect(server.printed()).not.toContain('planted');
  });
});
