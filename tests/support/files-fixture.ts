import * as Y from 'yjs';
import { createFileSystem } from '../../shared/kernel/fs/create-file-system.ts';
import type { Credentials } from '../../shared/kernel/fs/credentials.ts';
import type { FileSystem } from '../../shared/kernel/fs/file-system.ts';
import type { FileConflict } from '../../shared/kernel/fs/inodes.ts';
import { procView } from '../../shared/kernel/fs/views/proc-view.ts';
import type { ConfigAccess } from '../../shared/kernel/fs/views/sys-view.ts';
import type { Space } from '../../shared/kernel/ports/doc-store.ts';
import { ProcessStates } from '../../shared/kernel/proc/process-states.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';
import type { ProcessRow, SystemTables } from '../../shared/state/system.ts';
import { systemTables } from '../../shared/state/system.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { emptySystem } from './system-doc.ts';

/** When everything in these tests happens. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A clock that stands still; what is put off runs when the test says so. */
export class StillClock {
  #pending: { at: number; run: () => void }[] = [];
  #awaited: { ms: number; resolve: () => void }[] = [];
  time = NOW;

  now(): number {
    return this.time;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.time + ms, run };
    this.#pending.push(entry);
    for (const { resolve } of this.#awaited.filter((wanted) => wanted.ms === ms)) resolve();
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry);
    };
  }

  /** Resolves when something is put off by exactly this long. */
  putOff(ms: number): Promise<void> {
    return new Promise((resolve) => this.#awaited.push({ ms, resolve }));
  }

  /** Lets time pass, and runs what was put off until then. */
  pass(ms: number): void {
    this.time += ms;
    const due = this.#pending.filter(({ at }) => at <= this.time);
    this.#pending = this.#pending.filter(({ at }) => at > this.time);
    for (const { run } of due) run();
  }
}

/** Bytes that count up from a number: every id is another one. */
export function countingRandom(start = 0) {
  let next = start;
  const bytes = (length: number): Uint8Array<ArrayBuffer> => {
    next += 1;
    const made = new Uint8Array(length);
    for (let at = 0; at < Math.min(length, 4); at += 1) made[at] = (next >>> (8 * (3 - at))) & 255;
    return made;
  };
  return { bytes, uuid: () => `uuid-${bytes(4).join('.')}` };
}

export const root: Credentials = { uid: 0, gid: 0, gids: [0], home: '/root', cwd: '/' };
export const alice: Credentials = {
  uid: 1000,
  gid: 100,
  gids: [100],
  home: '/home/alice',
  cwd: '/home/alice',
};
export const bob: Credentials = { uid: 1001, gid: 100, gids: [100], home: '/home/bob', cwd: '/home/bob' };
/** In nobody's group. */
export const carol: Credentials = { uid: 1002, gid: 200, gids: [200], home: '/home/carol', cwd: '/tmp' };

export function seedPeople(tables: SystemTables): void {
  const group = (gid: number, name: string, members: number[], capabilities: string[]) =>
    tables.groups.put(String(gid), { gid, name, members, capabilities });
  group(0, 'root', [0], ['*']);
  group(100, 'users', [1000, 1001], ['fs.*', 'shell.*', 'proc.*', 'sys.*']);
  const user = (uid: number, username: string, gid: number, home: string) =>
    tables.users.put(String(uid), { uid, username, gid, gids: [gid], home, createdAt: NOW });
  user(0, 'root', 0, '/root');
  user(1000, 'alice', 100, '/home/alice');
  user(1001, 'bob', 100, '/home/bob');
}

export function processRow(pid: string, fields: Partial<ProcessRow> = {}): ProcessRow {
  const who = {
    uid: 1000,
    gid: 100,
    gids: [100],
    username: 'alice',
    home: '/home/alice',
    cwd: '/home/alice',
  };
  const what = { profile: 'init', parentPid: null, label: null, workspaceId: null, contextFiles: [] };
  const how = {
    state: 'idle',
    activity: null,
    conversationId: `${pid}/1`,
    generation: 1,
    queuedCount: 0,
  } as const;
  return { pid, ...who, ...what, ...how, createdAt: NOW, updatedAt: NOW, ...fields };
}

/** The rules of `sys.config` in small: root writes all, others below `users/<uid>/ai/`, secrets are root's to read. */
function configRules(tables: SystemTables): ConfigAccess {
  const mayRead = ({ uid }: Credentials, key: string) =>
    uid === 0 || key.startsWith(`users/${uid}/`) || (key.startsWith('config/') && !key.includes('secret'));
  return {
    list: (caller, prefix) =>
      Array.from(tables.config.entries(), ([key, { value }]) => ({ key, value })).filter(
        ({ key }) => key.startsWith(prefix) && mayRead(caller, key),
      ),
    get: (caller, key) => (mayRead(caller, key) ? tables.config.get(key)?.value : undefined),
    async set({ uid }, key, value) {
      if (uid !== 0 && !key.startsWith(`users/${uid}/ai/`))
        throw new SyscallError(403, `Permission denied: ${key}`);
      tables.config.put(key, { value });
    },
  };
}

export type Fixture = {
  fs: FileSystem;
  doc: Y.Doc;
  blobs: MemoryBlobs;
  tables: SystemTables;
  clock: StillClock;
  /** Called by every flush; a test may make it fail or watch it. */
  flush: { run: (space?: Space) => Promise<void> };
  /** What this replica told of changes made apart. */
  conflicts: FileConflict[];
  text(path: string, caller?: Credentials): Promise<string>;
  put(path: string, text: string, caller?: Credentials): Promise<void>;
};

/** A native filesystem with people and their homes, over memory. Replicas of one document need numbers of their own. */
export async function filesFixture(
  doc = new Y.Doc(),
  blobs = new MemoryBlobs(),
  replica = 0,
): Promise<Fixture> {
  const tables = systemTables(emptySystem());
  seedPeople(tables);
  const clock = new StillClock();
  const flush = { run: async (_space?: Space) => {} };
  const parts = {
    doc,
    blobs,
    tables,
    config: configRules(tables),
    keys: { keyring: null },
    clock,
    random: countingRandom(replica * 1_000_000),
  };
  const conflicts: FileConflict[] = [];
  const fs = createFileSystem({
    ...parts,
    flush: (space) => flush.run(space),
    startedAt: NOW,
    writer: () => replica,
    onConflict: (conflict) => conflicts.push(conflict),
  });
  const processStates = new ProcessStates(tables, { index: replica });
  fs.mount('/proc', procView({ tables, processStates, clock, version: '1.2.3', startedAt: NOW }));
  for (const { home, uid, gid } of [alice, bob]) {
    if (await fs.exists(home, root)) continue;
    await fs.mkdir(home, root);
    await fs.chown(home, { uid, gid }, root);
  }
  return {
    fs,
    doc,
    blobs,
    tables,
    clock,
    flush,
    conflicts,
    text: async (path, caller = alice) => new TextDecoder().decode(await fs.readFile(path, caller)),
    put: async (path, text, caller = alice) => {
      await fs.writeFile(path, new TextEncoder().encode(text), caller);
    },
  };
}

/** The code of the FsError that a promise rejects with, or `ok`. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'ok',
    (error: { code?: string }) => error.code ?? String(error),
  );
}
