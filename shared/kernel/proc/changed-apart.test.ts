import { describe, expect, test } from 'vitest';
import { readTables } from '../../../tests/support/edit-doc.ts';
import { KernelPair } from '../../../tests/support/kernel-pair.ts';
import { says } from '../../../tests/support/scripted-models.ts';

type Name = 'a' | 'b';

/** `a` and `b` do something each while the one that is cut hears nothing; then they meet. */
async function apart(pair: KernelPair, cut: Name, each: Record<Name, () => Promise<unknown>>): Promise<void> {
  pair.hosts[cut].cut();
  await pair.pass(2_000);
  for (const name of ['a', 'b'] as const) await pair.passing(each[name]());
  pair.hosts[cut].mend();
  const said = async (name: Name) => (await pair.pages[name].call('sys.status', {})).waiting === 0;
  await pair.until(() => pair.isOnline(cut), 'both are online');
  await pair.until(async () => (await said('a')) && (await said('b')), 'all is told');
  await pair.pass(5_000);
  // What came is on the disk with what is written next.
  for (const page of [pair.pages.a, pair.pages.b])
    await pair.passing(page.call('fs.write', { path: '/home/ada/met.txt', content: 'yes' }));
}

describe.each(['a', 'b'] as const)('browsers apart, %s without the server', (cut) => {
  test('[S108] a process is named by its first message in one and ended in the other', async () => {
    const pair = await KernelPair.start(() => says('ok'));
    const { a, b } = pair.pages;
    const spawned = await pair.passing(a.call('proc.spawn', { profile: 'task' }));
    const pid = spawned.ok ? spawned.pid : '';
    const known = async () => (await b.call('proc.list', {})).processes.some((row) => row.pid === pid);
    await pair.until(known, 'b knows it');
    await apart(pair, cut, {
      a: () => a.call('proc.send', { pid, message: 'Count the apples' }),
      b: () => b.call('proc.kill', { pid }),
    });
    for (const { disk } of [pair.a, pair.b])
      expect(readTables(disk).processes.get(pid)).toMatchObject({
        state: 'killed',
        label: 'Count the apples',
      });
    for (const page of [a, b])
      expect((await page.call('proc.list', {})).processes.map((row) => row.pid)).not.toContain(pid);
  });

  test('[S108] a token is revoked in one and used in the other', async () => {
    const pair = await KernelPair.start(() => says('ok'));
    const { a, b } = pair.pages;
    const { token } = await pair.passing(a.call('sys.token.create', { kind: 'user', label: 'phone' }));
    const { tokenId } = token;
    const known = async () =>
      (await b.call('sys.token.list', {})).tokens.some((row) => row.tokenId === tokenId);
    await pair.until(known, 'b knows it');
    await apart(pair, cut, {
      a: () => a.call('sys.token.revoke', { tokenId }),
      b: () => pair.b.signedIn({ username: 'ada', token: token.token }),
    });
    for (const { disk } of [pair.a, pair.b]) {
      const row = readTables(disk).tokens.get(tokenId);
      expect([row?.revokedAt, row?.lastUsedAt]).toEqual([expect.any(Number), expect.any(Number)]);
    }
  });
});
