import { expect, test } from 'vitest';
import { BackupHost, textsOf } from '../../../tests/support/backup-host.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import type { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { Keyring } from '../seal/keyring.ts';

/** A file of a GSV that is not sealed. */
async function exported(): Promise<Uint8Array<ArrayBuffer>> {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('fs.write', { path: '/home/ada/small.txt', content: 'kept' });
  kernel.kill();
  return (await BackupHost.on(kernel.disk)).export();
}

/** The disk of a browser on which a kernel has started that nobody has set up. */
async function emptyDisk(): Promise<MemoryDisk> {
  const kernel = await new TestKernel().boot();
  kernel.kill();
  return kernel.disk;
}

/** Texts of a file by name, but for the manifest, which bears a time. */
function rowsIn(file: Uint8Array): Record<string, string> {
  return Object.fromEntries(Object.entries(textsOf(file)).filter(([name]) => name !== 'manifest.json'));
}

test('[K182] a file of a sealed GSV holds nothing of its keys, and the new GSV is sealed or not as is chosen', async () => {
  const file = await exported();
  const sealed = await BackupHost.on(await emptyDisk());
  await sealed.import(file, { sealed: true });
  const keyring = Keyring.parse(sealed.disk.secrets.get('seal/keyring') ?? '');
  expect(sealed.parts.tables.seal.get('gsv')).toMatchObject({ gsvId: keyring.gsvId });
  const { members, recovery } = sealed.parts.tables;
  members.put('r1', { replicaId: 'r1', publicKey: 'p', epoch: 1 });
  recovery.put('phrase', {
    ...{ inviteId: 'i', publicKey: 'p', uid: 1000, madeAt: 1, keptAt: null, epoch: 1 },
  });
  const again = await sealed.export();
  expect(rowsIn(again)).toEqual(rowsIn(file));
  const readable = await BackupHost.on(await emptyDisk());
  await readable.import(again);
  expect(readable.disk.secrets.has('seal/keyring')).toBe(false);
  expect(readable.parts.tables.seal.get('gsv')).toBe(undefined);
});

test('[K182] an import that fails leaves no keys', async () => {
  const file = await exported();
  const host = await BackupHost.on(await emptyDisk());
  const { documents } = host.parts;
  const refusing = {
    open: (name: string) => documents.open(name),
    close: (name: string) => documents.close(name),
    replicated: () => documents.replicated(),
    flush: () => Promise.reject(new Error('full')),
  };
  const full = await BackupHost.on(host.disk, { documents: refusing, tables: host.parts.tables });
  await expect(full.import(file, { sealed: true })).rejects.toThrow('full');
  expect(host.disk.secrets.has('seal/keyring')).toBe(false);
  expect(host.parts.tables.seal.get('gsv')).toBe(undefined);
});
