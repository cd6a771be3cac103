import { describe, expect, test } from 'vitest';
import {
  BackupHost,
  inChunks,
  manifestOf,
  NEW_PASSWORD,
  textsOf,
  unpack,
} from '../../../tests/support/backup-host.ts';
import { editDoc, editTables, readTables } from '../../../tests/support/edit-doc.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { FS_DOC } from '../../state/system.ts';
import { sha256Hex } from '../../std/bytes.ts';

const MIB = 1024 * 1024;
const API_KEY = 'sk-never-to-leave';

type Lived = { disk: MemoryDisk; pid: string };
let lived: Promise<Lived> | undefined;

/** A disk that was used: files, messages, a device, a secret, a token. Made once. */
function livedIn(): Promise<Lived> {
  lived ??= live();
  return lived;
}

async function live(): Promise<Lived> {
  const kernel = new TestKernel(() => says('Hello, Ada.'));
  const page = await kernel.ready();
  await page.call('fs.write', { path: '/home/ada/small.txt', content: 'kept in its row ✓' });
  await page.call('fs.write', { path: '/home/ada/large.txt', content: 'kept in a blob. '.repeat(1000) });
  await page.call('sys.config.set', { key: 'users/1000/ai/api_key', value: API_KEY });
  await page.call('sys.token.create', { kind: 'user', label: 'phone' });
  const { data } = await page.peer.call('proc.list', {});
  await page.run('Hello?');
  kernel.kill();
  editTables(kernel.disk, (tables) => {
    const device = {
      deviceId: 'laptop',
      ownerUid: 1000,
      ownerGid: 100,
      description: 'mine',
      platform: 'linux',
    };
    const seen = { version: '1', implements: ['fs.*'], online: true, firstSeenAt: 1, lastSeenAt: 2 };
    tables.devices.put('laptop', { ...device, ...seen, connectedAt: 1, disconnectedAt: null });
    tables.processes.patch('init:1000', { label: 'Renamed' });
    tables.shellSessions.put('s1', { sessionId: 's1', deviceId: 'laptop', uid: 1000, createdAt: 1 });
    tables.invites.put('i1', {
      inviteId: 'i1',
      hash: 'h',
      sealed: 's',
      uid: 1000,
      createdAt: 1,
      expiresAt: 2,
    });
    tables.replicas.put('r1', {
      ...{ replicaId: 'r1', name: 'r1', platform: 'test', tokenId: null },
      ...{ joinedAt: 1, revokedAt: null, storage: null },
    });
  });
  const { processes } = data as { processes: { pid: string }[] };
  return { disk: kernel.disk, pid: processes[0]?.pid ?? '' };
}

/** Texts of a file by name, but for the manifest, which bears a time. */
function rowsIn(file: Uint8Array): Record<string, string> {
  return Object.fromEntries(Object.entries(textsOf(file)).filter(([name]) => name !== 'manifest.json'));
}

/** The disk of a browser on which a kernel has started that nobody has set up. */
async function emptyDisk(): Promise<MemoryDisk> {
  const kernel = await new TestKernel().boot();
  kernel.kill();
  return kernel.disk;
}

describe('an exported file', () => {
  test('[K102] holds rows as JSON lines by document and table, contents by their hash, and a manifest', async () => {
    const { disk } = await livedIn();
    const host = await BackupHost.on(disk);
    const { name } = await host.open();
    expect(name).toMatch(/^gsv-ada-\d{4}-\d\d-\d\d\.zip$/);
    const file = await host.export();
    const texts = textsOf(file);
    const users = texts['rows/control/users.jsonl']
      ?.trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(users?.map(({ key, value }) => [key, value.username])).toEqual([
      ['0', 'root'],
      ['1000', 'ada'],
    ]);
    expect(texts['rows/system/processes.jsonl']).toContain('"label":"Renamed"');
    expect(Object.keys(texts).filter((one) => /^rows\/(control|system)\/.*\..*\.jsonl$/.test(one))).toEqual(
      [],
    );
    const large = 'kept in a blob. '.repeat(1000);
    const hash = await sha256Hex(new TextEncoder().encode(large));
    expect(texts[`blobs/${hash}`]).toBe(large);
    const names = Object.keys(texts);
    expect(names.filter((one) => /^rows\/conv\/.+\/messages\.jsonl$/.test(one))).toHaveLength(1);
    expect(names.at(-1)).toBe('manifest.json');
    const manifest = manifestOf(file);
    expect(manifest).toMatchObject({ format: 'gsv-export', version: 2, username: 'ada' });
    expect(manifest.counts).toMatchObject({ messages: 2, blobs: 1 });
    expect(manifest.missing).toEqual({ documents: [], blobs: [] });
    expect(manifest.files.map((entry) => entry.name)).toEqual(names.slice(0, -1));
    for (const { name: listed, size, sha256 = listed.slice(6) } of manifest.files) {
      const bytes = unpack(file).get(listed) ?? new Uint8Array(0);
      expect([bytes.length, await sha256Hex(bytes.slice())]).toEqual([size, sha256]);
    }
  });

  test('[K103] holds no secret, no token, no invitation, and nothing of this browser alone', async () => {
    const { disk } = await livedIn();
    const file = await (await BackupHost.on(disk)).export();
    const texts = Object.entries(textsOf(file));
    const all = texts.map(([name, text]) => name + text).join('\n');
    const tables = readTables(disk);
    const hidden = [...disk.secrets.values(), ...tables.tokens.rows().map(({ hash }) => hash), API_KEY];
    expect(hidden.length).toBeGreaterThan(4);
    for (const secret of hidden.filter((text) => text.length > 3)) expect(all.includes(secret)).toBe(false);
    const left = texts.filter(([name]) => /(tokens|invites|replicas|shell_sessions|work|outbox)/.test(name));
    expect(left).toEqual([]);
    expect(all).not.toContain('(sealed)');
    expect(manifestOf(file).secrets).toEqual(['users/1000/ai/api_key']);
    expect(all).toContain('"deviceId":"laptop"');
    expect(all).not.toContain('"online":true');
  });

  test('[K104] is for the owner and root alone', async () => {
    const host = await BackupHost.on((await livedIn()).disk);
    await expect(host.open(1001)).rejects.toMatchObject({ code: 403 });
    const { stream } = await host.open(0);
    await stream.cancel();
  });

  test('[K105] names what could not be had, and is whole otherwise', async () => {
    const { disk } = await livedIn();
    const away = await BackupHost.on(disk, { readBlob: async () => undefined, roomAway: () => true });
    const gone = await BackupHost.on(disk, {
      readBlob: () => Promise.reject(new Error('no link')),
      roomAway: () => true,
    });
    const damaged = await BackupHost.on(disk, { readBlob: async () => new Uint8Array([1, 2, 3]) });
    for (const host of [away, gone, damaged]) {
      const file = await host.export();
      expect(manifestOf(file)).toMatchObject({ counts: { blobs: 0, messages: 2 } });
      expect(manifestOf(file).missing.blobs).toHaveLength(1);
      const filled = await BackupHost.on(await emptyDisk());
      expect(await filled.import(file)).toMatchObject({ username: 'ada', missing: 1 });
    }
  });

  test('[K106] holds conversations that are not on this disk, and names those that cannot be asked for', async () => {
    const { disk } = await livedIn();
    const without = new MemoryDisk();
    without.copyFrom(disk);
    const isSegment = (doc: string): boolean => /^conv\/.+\/g\d+\//.test(doc);
    without.updates.splice(0, Infinity, ...disk.updates.filter(({ doc }) => !isSegment(doc)));
    const here = await BackupHost.on(without, { roomAway: () => true });
    const { counts, missing } = manifestOf(await here.export());
    expect(counts.messages).toBe(0);
    expect(missing.documents).toHaveLength(1);
    expect(isSegment(missing.documents[0] ?? '')).toBe(true);
    const whole = await BackupHost.on(disk);
    const fetching = {
      ...here.parts.documents,
      replicated: () => here.parts.documents.replicated(),
      close: async () => {},
      flush: () => here.parts.documents.flush(),
      open: (name: string) => (isSegment(name) ? whole : here).parts.documents.open(name),
    };
    const joined = await BackupHost.on(without, { documents: fetching });
    expect(manifestOf(await joined.export())).toMatchObject({
      counts: { messages: 2 },
      missing: { documents: [] },
    });
  });

  test('[K107] is written as its reader goes on, one blob at a time, and stops when nobody reads', async () => {
    const blobs = 20;
    const disk = await manyFiles(0, blobs);
    const read: string[] = [];
    const host = await BackupHost.on(disk, {
      readBlob: async (hash) => {
        read.push(hash);
        return disk.blobs.get(hash);
      },
    });
    const { stream } = await host.open();
    const reader = stream.getReader();
    let taken = 0;
    let ahead = 0;
    for (let step = await reader.read(); !step.done && read.length < 10; step = await reader.read()) {
      if (read.length > 0) taken += step.value.length;
      ahead = Math.max(ahead, read.length * MIB - taken);
    }
    expect(ahead).toBeLessThan(2.1 * MIB);
    await reader.cancel();
    const before = read.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect([read.length, before < blobs]).toEqual([before, true]);
  });
});

/** Small files in their rows, and files of a MiB of noise. */
async function manyFiles(small: number, large: number): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  disk.copyFrom((await livedIn()).disk);
  disk.blobs.clear();
  const rows: [string, Record<string, unknown>][] = [];
  const row = { parent: '/home', kind: 'file', mode: 0o644, uid: 1000, gid: 100, mtime: 1 };
  for (let at = 0; at < small; at += 1) {
    rows.push([`small${at}`, { ...row, name: `s${at}`, size: 8, content: { text: `file ${at}` } }]);
  }
  for (let at = 0; at < large; at += 1) {
    const bytes = realRandom.bytes(MIB);
    const hash = await sha256Hex(bytes);
    disk.blobs.set(hash, bytes);
    rows.push([`large${at}`, { ...row, name: `l${at}`, size: MIB, content: { blob: hash } }]);
  }
  editDoc(disk, FS_DOC, (doc) =>
    doc.transact(() => {
      for (const [key, value] of rows) doc.getMap('inodes').set(key, value);
    }),
  );
  return disk;
}

describe('importing', () => {
  test('[K110] an exported file into an empty GSV gives the same rows and contents', async () => {
    const { disk } = await livedIn();
    const file = await (await BackupHost.on(disk)).export();
    const host = await BackupHost.on(await emptyDisk());
    expect(await host.import(file)).toEqual({
      username: 'ada',
      files: manifestOf(file).counts.files,
      messages: 2,
      missing: 0,
      secrets: ['users/1000/ai/api_key'],
    });
    const again = await host.export();
    expect(rowsIn(again)).toEqual(rowsIn(file));
    expect(manifestOf(again).counts).toEqual(manifestOf(file).counts);
  });

  test('[K110] the new GSV is worked in with the password that was given for it', async () => {
    const { disk, pid } = await livedIn();
    const file = await (await BackupHost.on(disk)).export();
    const kernel = new TestKernel();
    kernel.disk.copyFrom(await emptyDisk());
    await (await BackupHost.on(kernel.disk)).import(file);
    await kernel.boot();
    const page = kernel.page();
    await expect(page.connect({ username: 'ada', password: 'correct horse' })).rejects.toMatchObject({
      code: 401,
    });
    await page.connect({ username: 'ada', password: NEW_PASSWORD });
    expect(await page.call('fs.read', { path: '/home/ada/small.txt' })).toMatchObject({ ok: true });
    const large = await page.call('fs.read', { path: '/home/ada/large.txt' });
    expect(JSON.stringify(large)).toContain('kept in a blob. kept in a blob.');
    const { messages } = await page.history(pid);
    expect(JSON.stringify(messages)).toContain('Hello, Ada.');
    expect((await page.call('sys.token.list', {})).tokens).toEqual([]);
  });

  test('[K111] only an empty GSV without a room is filled, and one at a time', async () => {
    const file = await (await BackupHost.on((await livedIn()).disk)).export();
    const used = await BackupHost.on((await livedIn()).disk);
    const before = used.disk.updates.length;
    await expect(used.import(file)).rejects.toMatchObject({ code: 409 });
    expect(used.disk.updates.length).toBe(before);
    const joined = await BackupHost.on(new MemoryDisk(), { joined: () => true });
    await expect(joined.import(file)).rejects.toMatchObject({ code: 409 });
    const empty = await BackupHost.on(new MemoryDisk());
    const both = await Promise.allSettled([empty.import(file), empty.import(file)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(both[1]).toMatchObject({ reason: { code: 409 } });
    const late = await BackupHost.on(new MemoryDisk());
    const { tables } = late.parts;
    const person = { uid: 1000, username: 'eve', gid: 100, gids: [100], home: '/home/eve', createdAt: 1 };
    const importing = late.import(file, { stream: inChunks(file, () => tables.users.put('1000', person)) });
    await expect(importing).rejects.toMatchObject({ code: 409 });
    expect(tables.users.rows()).toEqual([person]);
    expect([late.disk.blobs.size, late.disk.secrets.size]).toEqual([0, 0]);
  });

  test('[K112] is one write: storage that refuses it leaves an empty GSV, which can be filled later', async () => {
    const file = await (await BackupHost.on((await livedIn()).disk)).export();
    const disk = await emptyDisk();
    const host = await BackupHost.on(disk);
    const { flush } = host.parts.documents;
    const before = { updates: disk.updates.length, rows: host.parts.tables.config.keys() };
    const full = await BackupHost.on(disk, {
      documents: {
        open: (name) => host.parts.documents.open(name),
        close: (name) => host.parts.documents.close(name),
        replicated: () => host.parts.documents.replicated(),
        flush: () => {
          disk.refuse = new Error('This device has no space left');
          return flush.call(host.parts.documents);
        },
      },
      tables: host.parts.tables,
    });
    await expect(full.import(file)).rejects.toMatchObject({
      code: 507,
      message: expect.stringContaining('space'),
    });
    expect(disk.updates.length).toBe(before.updates);
    expect(host.parts.tables.users.rows()).toEqual([]);
    expect(disk.blobs.size).toBe(0);
    disk.refuse = null;
    const writes = disk.writes;
    expect(await host.import(file)).toMatchObject({ username: 'ada' });
    expect(disk.writes - writes).toBe(1);
    expect(rowsIn(await host.export())).toEqual(rowsIn(file));
  });

  test('[K112] contents that do not fit are told as such and leave nothing', async () => {
    const file = await (await BackupHost.on((await livedIn()).disk)).export();
    const disk = new MemoryDisk();
    disk.refuse = new Error('This device has no space left for GSV.');
    const host = await BackupHost.on(disk);
    await expect(host.import(file)).rejects.toMatchObject({ code: 507, retryable: true });
    expect([disk.blobs.size, disk.updates.length]).toEqual([0, 0]);
  });

  test('[K112] an import that is given up leaves nothing', async () => {
    const file = await (await BackupHost.on((await livedIn()).disk)).export();
    const stop = new AbortController();
    const host = await BackupHost.on(await emptyDisk());
    const before = host.disk.updates.length;
    const stream = inChunks(file.slice(0, 4000), () => stop.abort(new Error('given up')));
    await expect(host.import(file, { stream, signal: stop.signal })).rejects.toThrow('given up');
    expect([host.disk.blobs.size, host.disk.updates.length]).toEqual([0, before]);
    const silent = new ReadableStream<Uint8Array>();
    const waiting = new AbortController();
    const importing = host.import(file, { stream: silent, signal: waiting.signal });
    waiting.abort(new Error('given up'));
    await expect(importing).rejects.toThrow('given up');
    expect(await host.import(file)).toMatchObject({ username: 'ada' });
  });

  test('[K113] 5,000 files and 20 MiB of contents come and go with little of it in memory at a time', async () => {
    const disk = await manyFiles(5000, 20);
    const host = await BackupHost.on(disk);
    const file = await host.export();
    expect(manifestOf(file).counts).toMatchObject({ blobs: 20, files: expect.any(Number) });
    expect(manifestOf(file).counts.files).toBeGreaterThan(5000);
    let pulled = 0;
    let kept = 0;
    let ahead = 0;
    const target = new MemoryDisk();
    const blobs = target.blobStore();
    const filled = await BackupHost.on(target, {
      blobs: {
        delete: (hash) => blobs.delete(hash),
        put: async (bytes) => {
          kept += bytes.length;
          return blobs.put(bytes);
        },
      },
    });
    const stream = inChunks(file, (bytes) => {
      pulled += bytes;
      ahead = Math.max(ahead, pulled - kept);
    });
    const result = await filled.import(file, { stream });
    expect(result.files).toBe(manifestOf(file).counts.files);
    expect([kept, target.blobs.size]).toEqual([20 * MIB, 20]);
    expect(ahead).toBeLessThan(3 * MIB);
    const hashes = (bytes: Uint8Array) =>
      manifestOf(bytes).files.map(({ name, size, sha256 }) => `${name} ${size} ${sha256}`);
    expect(hashes(await filled.export())).toEqual(hashes(file));
  });
});
