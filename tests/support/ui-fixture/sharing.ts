import { SyscallError } from '../../../shared/protocol/errors.ts';
import { type ByteStream, streamOf } from '../../../shared/protocol/streams.ts';
import type { SyscallName } from '../../../shared/syscalls/table.ts';
import type { Row } from './scenes.ts';
import type { ScriptedGsv } from './scripted-gsv.ts';

/** Rows and answers for what several browsers of one GSV share. */

const MINUTE = 60_000;
const now = Date.now();

export const replica = (replicaId: string, name: string, extra: Row = {}): [string, Row] => [
  replicaId,
  {
    replicaId,
    name,
    platform: 'Chrome on Linux',
    here: false,
    online: false,
    lastSeenAt: null,
    joinedAt: now - 9_000 * MINUTE,
    revokedAt: null,
    storage: null,
    ...extra,
  },
];

export const replicas = (): Map<string, Row> =>
  new Map([
    replica('r-here', 'Desk', {
      here: true,
      online: true,
      storage: 48_300_000,
      joinedAt: now - 90_000 * MINUTE,
    }),
    replica('r-laptop', 'Laptop', { online: true, lastSeenAt: now, storage: 12_700_000 }),
    replica('r-phone', 'Phone', {
      platform: 'Safari on iOS',
      lastSeenAt: now - 190 * MINUTE,
      storage: 3_100_000,
    }),
    replica('r-lost', 'Old phone', {
      platform: 'Chrome on Android',
      lastSeenAt: now - 90_000 * MINUTE,
      revokedAt: now - 80_000 * MINUTE,
      storage: 900_000,
    }),
  ]);

const notification = (id: string, title: string, extra: Row = {}): [string, Row] => [
  id,
  {
    notificationId: id,
    title,
    level: 'info',
    createdAt: now - 5 * MINUTE,
    readAt: null,
    dismissedAt: null,
    expiresAt: null,
    actions: [],
    source: { kind: 'user' },
    ...extra,
  },
];

export const notifications = (): Map<string, Row> =>
  new Map([
    notification('n-conflict', 'notes.md was changed in two places', {
      level: 'warning',
      body: 'Both versions are kept. The newer one has the name, the other one stands beside it.',
      actions: [
        { kind: 'open', label: 'The newer one', target: '/home/sam/notes.md' },
        { kind: 'open', label: 'The other one', target: '/home/sam/notes (Laptop, 14.05).md' },
      ],
    }),
    notification('n-done', 'The receipts are sorted', {
      level: 'success',
      createdAt: now - 200 * MINUTE,
      source: { kind: 'process', processId: 'task:receipts' },
    }),
    notification('n-read', 'The nightly build is red', {
      level: 'error',
      createdAt: now - 3_000 * MINUTE,
      readAt: now - 2_000 * MINUTE,
    }),
    notification('n-gone', 'Dismissed before', { dismissedAt: now }),
  ]);

type Given = Record<string, unknown>;
type Answer = (gsv: ScriptedGsv, args: Given) => unknown;

const patched = (gsv: ScriptedGsv, view: string, key: string, change: Row): Row | null => {
  const row = gsv.scene.views[view]?.get(key);
  if (row === undefined) return null;
  gsv.put(view, { [key]: { ...row, ...change } });
  return { ...row, ...change };
};

export const sharingAnswers: Partial<Record<SyscallName, Answer>> = {
  'sys.invite.create': (gsv) => ({
    inviteId: 'i1',
    secret: `gsv_join_${'q7Zk0mN3vX9sT1bR5cW8dY2fH4jL6pAe'}${gsv.calls.length}`,
    expiresAt: Date.now() + gsv.inviteMs,
  }),
  'sys.replica.update': (gsv, { replicaId, name }) => ({
    replica: patched(gsv, 'replicas', String(replicaId), { name }),
  }),
  'sys.replica.revoke': (gsv, { replicaId }) => ({
    revoked: patched(gsv, 'replicas', String(replicaId), { revokedAt: Date.now(), online: false }) !== null,
  }),
  'sys.reconnect': (gsv) => {
    patched(gsv, 'status', 'status', { link: 'connecting', linkReason: null, linkSince: null });
    setTimeout(() => patched(gsv, 'status', 'status', { link: 'online', waiting: 0 }), 100);
    return { ok: true };
  },
  'sys.status': (gsv) => gsv.scene.views.status?.get('status'),
  'sys.storage': () => ({
    documents: 9_300_000,
    blobs: 39_000_000,
    blobsOnlyHere: 1_200_000,
    blobCap: 536_870_912,
  }),
  'sys.disk.get': () => ({ available: true, password: false, afterMinutes: null }),
  'sys.backup.list': (gsv) => ({
    backups: gsv.copyRemoved
      ? []
      : [
          {
            ...{ name: 'copy', version: 1, createdAt: Date.parse('2026-03-12T09:30'), bytes: 46_000_000 },
            ...{ returning: false, restored: null },
          },
        ],
  }),
  'sys.backup.remove': (gsv) => {
    gsv.copyRemoved = true;
    return { removed: true };
  },
  'sys.export': () => ({ name: 'gsv-sam-2026-03-14.zip' }),
  'sys.import': (_gsv, { password }) => {
    if (password === 'the disk is full') throw new SyscallError(507, 'The browser has no room left.');
    return { username: 'sam', files: 120, messages: 3_412, missing: 1, secrets: ['users/1000/ai/api_key'] };
  },
  'proc.takeover': (gsv, { pid, force }) => {
    if (gsv.takeover === 'refused' && force !== true)
      return { ok: false, error: 'Laptop still holds this run and is connected' };
    const view = `conversation ${pid}`;
    patched(gsv, view, 'run', { owner: 'r-here' });
    return { ok: true, runId: 'run-1' };
  },
  'proc.export': (_gsv, { format }) => ({
    ok: true,
    name: `nightly-build.${format === 'json' ? 'json' : 'md'}`,
    text: format === 'json' ? '[]' : '# Why does the nightly build fail\n',
  }),
  'notification.mark_read': (gsv, { notificationId }) => ({
    notification: patched(gsv, 'notifications', String(notificationId), { readAt: Date.now() }),
  }),
  'notification.dismiss': (gsv, { notificationId }) => ({
    notification: patched(gsv, 'notifications', String(notificationId), { dismissedAt: Date.now() }),
  }),
};

/** The bytes that come with an answer; the calls without any are left out. */
export function bytesOf(name: SyscallName): ByteStream | undefined {
  return name === 'sys.export' ? streamOf(new Uint8Array(300_000).fill(80)) : undefined;
}

/** Reads what accompanies a call to its end, as the kernel would. Resolves to its size. */
export async function drain(bytes: ByteStream | undefined): Promise<number> {
  let size = 0;
  const reader = bytes?.getReader();
  for (;;) {
    const next = await reader?.read();
    if (next === undefined || next.done) return size;
    size += next.value.length;
  }
}

/** How the secret of an invitation fares, by its name. */
export async function acceptInvite(secret: string, onProgress: (text: string) => void): Promise<void> {
  onProgress('12 of 40 documents');
  await new Promise((resolve) => setTimeout(resolve, 150));
  if (secret.includes('used')) throw new SyscallError(401, 'The invitation was used already');
  if (secret.includes('expired')) throw new SyscallError(410, 'The invitation has expired');
  if (secret.includes('away')) throw new SyscallError(504, 'The server did not answer in time');
  if (secret.includes('held')) throw new SyscallError(409, 'This browser already holds a GSV');
}
