import { deflateSync } from 'fflate';
import { beforeAll, describe, expect, test } from 'vitest';
import { BackupHost, unpack, zipOf } from '../../../tests/support/backup-host.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { concatBytes, sha256Hex } from '../../std/bytes.ts';
import { parseFileName, rowsFile } from './file-names.ts';
import { type Manifest, noCounts } from './manifest.ts';
import { Packer } from './pack.ts';
import { DEFLATED } from './zip-format.ts';
import { ZipWriter } from './zip-writer.ts';

type Entries = Map<string, Uint8Array>;
const utf8 = (text: string) => new TextEncoder().encode(text);
const MIB = 1024 * 1024;
const ROWS = 'rows/system/config.jsonl';

let good: Uint8Array;

beforeAll(async () => {
  const kernel = new TestKernel();
  const page = await kernel.ready();
  await page.call('fs.write', { path: '/home/ada/large.txt', content: 'kept in a blob. '.repeat(1000) });
  kernel.kill();
  good = await (await BackupHost.on(kernel.disk)).export();
});

/** The good file with other contents, and a manifest that is told of the change as far as `manifest` goes. */
async function altered(
  change: (entries: Entries) => void,
  manifest: (manifest: Manifest) => void = () => {},
): Promise<Uint8Array> {
  const entries = unpack(good);
  change(entries);
  const told = JSON.parse(new TextDecoder().decode(entries.get('manifest.json'))) as Manifest;
  entries.delete('manifest.json');
  const files = [...entries].map(async ([name, bytes]) => {
    const size = bytes.length;
    return name.startsWith('blobs/')
      ? { name, size }
      : { name, size, sha256: await sha256Hex(bytes.slice()) };
  });
  told.files = await Promise.all(files);
  manifest(told);
  return zipOf([...entries, ['manifest.json', JSON.stringify(told)]]);
}

/** What an import says to a file; and proves that it changed nothing, and that a good file is taken after it. */
async function refusal(file: Uint8Array): Promise<string> {
  const disk = new MemoryDisk();
  const host = await BackupHost.on(disk);
  const said = await host.import(file).then(
    () => 'taken',
    (error) => `${error.code} ${error.message}`,
  );
  expect([disk.updates.length, disk.blobs.size, disk.secrets.size]).toEqual([0, 0, 0]);
  expect([...host.parts.tables.users.keys(), ...host.parts.tables.config.keys()]).toEqual([]);
  return said;
}

const blobName = (entries: Entries): string =>
  [...entries.keys()].find((name) => name.startsWith('blobs/')) ?? '';
const line = (key: string, value: unknown): Uint8Array => utf8(`${JSON.stringify({ key, value })}\n`);

/** Adds a row at the end of a table. */
function withRow(name: string, row: Uint8Array): (entries: Entries) => void {
  return (entries) => {
    const old = entries.get(name) ?? new Uint8Array(0);
    const rest = [...entries].filter(([other]) => other !== name);
    entries.clear();
    entries.set(name, concatBytes([old, row]));
    for (const [other, bytes] of rest) entries.set(other, bytes);
  };
}

const oneMore = (manifest: Manifest): void => {
  manifest.counts.rows += 1;
};

describe('a file that is not an export', () => {
  test('[K114] the good file is taken as it is packed here', async () => {
    const host = await BackupHost.on(new MemoryDisk());
    const file = await altered(() => {});
    expect(await host.import(file)).toMatchObject({ username: 'ada', missing: 0 });
  });

  test.each([
    ['no zip', () => utf8('%PDF-1.7 this is something else entirely'), 'not a zip file'],
    ['an empty file', () => new Uint8Array(0), 'ends too early'],
    ['the first half', () => good.slice(0, good.length / 2), '400'],
    ['all but its end', () => good.slice(0, -10), 'ends too early'],
    ['a zip of other things', () => zipOf([['photo.jpg', 'x']]), '"photo.jpg"'],
    [
      'no manifest',
      () => zipOf([...unpack(good)].filter(([name]) => name !== 'manifest.json')),
      'no manifest',
    ],
    ['two manifests', () => twoManifests(), 'manifest.json twice'],
    ['rows behind the manifest', () => zipOf([...[...unpack(good)].reverse()]), 'out of order'],
  ])('[K114] %s is refused and changes nothing', async (_what, file, words) => {
    expect(await refusal(file())).toContain(words);
  });

  test('[K114] a file that breaks anywhere is refused and changes nothing', async () => {
    for (let at = 1; at < good.length; at += Math.ceil(good.length / 40)) {
      expect(await refusal(good.slice(0, at))).toMatch(
        /^400 This file cannot be imported: .+ Nothing was changed\.$/,
      );
    }
  });
});

function twoManifests(): Uint8Array {
  const entries = [...unpack(good)];
  return zipOf([...entries, ...entries.slice(-1)]);
}

describe('names', () => {
  test.each([
    '../evil.jsonl',
    '/etc/passwd',
    'rows/../../evil.jsonl',
    'rows/system/../../evil.jsonl',
    'rows\\system\\users.jsonl',
    'rows/system/..jsonl',
    'rows/%2E%2E/users.jsonl',
    'rows/system%2Fusers/x.jsonl',
    'rows/system//users.jsonl',
    'rows/.hidden/users.jsonl',
    'rows/system/users.jsonl/',
    'rows/system/%75sers.jsonl',
    'rows/system/%FF.jsonl',
    'rows/users.jsonl',
    'rows/system/users.JSONL',
    'blobs/../evil',
    `blobs/${'A'.repeat(64)}`,
    'blobs/abc',
    'Manifest.json',
    '__MACOSX/manifest.json',
  ])('[K115] the name %s is refused', async (name) => {
    expect(() => parseFileName(name)).toThrow('cannot be imported');
    expect(await refusal(await altered((entries) => entries.set(name, utf8('{}'))))).toMatch(/^400 /);
  });

  test('[K115] a name stands for its document and table, whatever they are called', () => {
    for (const [doc, table] of [
      ['system', 'users'],
      ['conv/task:1/c 1/g0/000001', 'messages'],
      ['..', '.'],
      ["a!'()*~b", 'über%2F'],
    ] as const) {
      const name = rowsFile(doc, table);
      expect(name).toMatch(/^rows\/[A-Za-z0-9%._/-]+\.jsonl$/);
      expect(name).not.toMatch(/\/\./);
      expect(parseFileName(name)).toEqual({ kind: 'rows', doc, table });
    }
  });
});

describe('what does not fit together', () => {
  const edits: [string, (entries: Entries) => void, (manifest: Manifest) => void, string][] = [
    ['contents with another hash', (all) => all.set(blobName(all), utf8('other')), () => {}, 'another hash'],
    [
      'contents that are gone',
      (all) => all.delete(blobName(all)),
      (told) => (told.counts.blobs -= 1),
      'contents of',
    ],
    ['rows that are not listed', () => {}, ({ files }) => files.pop(), 'does not hold what'],
    [
      'a listed file twice',
      () => {},
      ({ files }) => files.splice(0, 1, ...files.slice(-1)),
      'does not hold what',
    ],
    [
      'a listed file that is not there',
      () => {},
      ({ files }) => files.push({ name: 'x', size: 1 }),
      'does not hold',
    ],
    [
      'another size',
      () => {},
      ({ files: [first] }) => Object.assign(first ?? {}, { size: 1 }),
      'not what the manifest says',
    ],
    [
      'another hash of rows',
      () => {},
      ({ files: [first] }) => Object.assign(first ?? {}, { sha256: '0'.repeat(64) }),
      'not what the manifest',
    ],
    ['another count', () => {}, ({ counts }) => (counts.messages += 1), 'other messages'],
    ['a row more than counted', withRow(ROWS, line('a', {})), () => {}, 'other rows'],
    ['a later version', () => {}, (told) => Object.assign(told, { version: 3 }), 'a newer GSV'],
    ['another format', () => {}, (told) => Object.assign(told, { format: 'tar' }), 'not one of GSV'],
    [
      'a manifest with fields missing',
      () => {},
      (told) => Object.assign(told, { counts: null }),
      'not one of GSV',
    ],
  ];
  test.each(edits)('[K116] %s is refused', async (_what, change, manifest, words) => {
    expect(await refusal(await altered(change, manifest))).toContain(words);
  });

  const empty = { format: 'gsv-export', version: 1, gsv: '0', createdAt: 1, username: '', counts: noCounts };
  test('[K116] a file without an account or without files is refused', async () => {
    const manifest = { ...empty, files: [], missing: { documents: [], blobs: [] }, secrets: [] };
    expect(await refusal(zipOf([['manifest.json', JSON.stringify(manifest)]]))).toContain('no account');
    const name = 'rows/system/users.jsonl';
    const ada = { uid: 1000, username: 'ada', gid: 100, gids: [100], home: '/home/ada', createdAt: 1 };
    const fileOf = async (user: object): Promise<Uint8Array> => {
      const rows = line('1000', user);
      const files = [{ name, size: rows.length, sha256: await sha256Hex(rows.slice()) }];
      const told = { ...manifest, files, counts: { ...noCounts, documents: 1, rows: 1 } };
      return zipOf([
        [name, rows],
        ['manifest.json', JSON.stringify(told)],
      ]);
    };
    expect(await refusal(await fileOf({ ...ada, uid: 0 }))).toContain('no account');
    expect(await refusal(await fileOf({ ...ada, username: '../x' }))).toContain('no account');
    expect(await refusal(await fileOf(ada))).toContain('no files');
  });
});

describe('rows', () => {
  const deep = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`;
  test.each([
    ['no JSON', utf8('{"key":"a","value":\n'), 'not JSON'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22, 0x0a]), 'not JSON'],
    ['no row', utf8('[1]\n'), 'no row'],
    ['a row without a value', utf8('{"key":"a"}\n'), 'no row'],
    ['a row with more than that', utf8('{"key":"a","value":1,"more":1}\n'), 'no row'],
    ['a key that is too long', line('k'.repeat(2000), 1), 'no row'],
    ['a row that is nested too deeply', utf8(`{"key":"a","value":${deep}}\n`), 'nested too deeply'],
    ['brackets without end', utf8(`${'['.repeat(100_000)}\n`), 'not JSON'],
    ['a prototype', utf8('{"key":"a","value":{"__proto__":{"x":1}}}\n'), 'nested too deeply'],
    ['half a row at the end', utf8('{"key":"a","value":1}'), 'in the middle of a row'],
    ['one key twice', concatBytes([line('twice', {}), line('twice', {})]), 'row twice'],
  ])('[K117] %s is refused', async (_what, rows, words) => {
    expect(await refusal(await altered(withRow(ROWS, rows), oneMore))).toContain(words);
  });

  test.each(['tokens', 'tokens.hash', 'invites', 'replicas', 'shell_sessions', 'processes.label'])(
    '[K118] a file that brings the table %s is refused: it would be a way in',
    async (table) => {
      const row = withRow(`rows/system/${table}.jsonl`, line('t', { uid: 0 }));
      expect(await refusal(await altered(row, oneMore))).toContain('never exports');
    },
  );

  test.each(['work', 'outbox'])('[K118] a file that brings the document %s is refused', async (doc) => {
    const row = withRow(`rows/${doc}/processes.jsonl`, line('p', { open: true }));
    expect(await refusal(await altered(row, oneMore))).toContain('never exports');
  });

  test('[K118] a setting that says only that there is a secret is left out and named', async () => {
    const row = withRow(ROWS, line('users/1000/ai/api_key', { value: '(sealed)' }));
    const host = await BackupHost.on(new MemoryDisk());
    const { secrets } = await host.import(await altered(row, oneMore));
    expect(secrets).toEqual(['users/1000/ai/api_key']);
    expect(host.parts.tables.config.get('users/1000/ai/api_key')).toBeUndefined();
  });
});

describe('bombs', () => {
  const refer = (hash: string): Uint8Array =>
    line('bomb', { parent: '/home', name: 'b', kind: 'file', content: { blob: hash } });

  test('[K119] contents that no row refers to are refused before they are unpacked', async () => {
    const bomb = new Uint8Array(8 * MIB);
    const hash = await sha256Hex(bomb);
    const puts: number[] = [];
    const host = await BackupHost.on(new MemoryDisk(), {
      blobs: { put: async ({ length }) => String(puts.push(length)), delete: async () => {} },
    });
    const file = await altered((entries) => {
      const before = [...entries].filter(([name]) => !name.startsWith('blobs/') && name !== 'manifest.json');
      const after = [...entries].filter(([name]) => name.startsWith('blobs/') || name === 'manifest.json');
      entries.clear();
      for (const [name, bytes] of [...before, [`blobs/${hash}`, bomb] as const, ...after])
        entries.set(name, bytes);
    });
    await expect(host.import(file)).rejects.toMatchObject({
      message: expect.stringContaining('no file in it'),
    });
    expect(puts).toEqual([]);
  });

  test('[K119] an entry that says it is larger than any file is refused before it is unpacked', async () => {
    const packer = new Packer();
    packer.add(new Uint8Array(MIB));
    const packed = { ...packer.finish(), size: 300 * MIB };
    const hash = 'f'.repeat(64);
    const rows = new Packer();
    rows.add(refer(hash));
    const zip = new ZipWriter(0);
    const begin = [
      ...zip.entry('rows/fs/inodes.jsonl', rows.finish()),
      ...zip.entry(`blobs/${hash}`, packed),
    ];
    expect(await refusal(concatBytes([...begin, ...zip.end()]))).toContain('too large');
    const many = new ZipWriter(0);
    const huge = { ...packed, size: 600 * MIB };
    expect(await refusal(concatBytes([...many.entry(ROWS, huge), ...many.end()]))).toContain('more rows');
  });

  test('[K119] a row without an end is refused when it is too long, not when memory is full', async () => {
    const size = 70 * MIB;
    const bytes = deflateSync(new Uint8Array(size).fill(0x78), { level: 1 });
    const packed = {
      method: DEFLATED,
      crc: 0,
      size,
      sha256: '',
      packedSize: bytes.length,
      parts: [bytes],
    } as const;
    const zip = new ZipWriter(0);
    const file = concatBytes([...zip.entry(ROWS, packed), ...zip.end()]);
    expect(file.length).toBeLessThan(MIB);
    expect(await refusal(file)).toContain('too long');
  });
});
