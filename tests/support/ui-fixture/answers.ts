import type { SyscallName } from '../../../shared/syscalls/table.ts';
import type { ScriptedGsv } from './scripted-gsv.ts';
import { sharingAnswers } from './sharing.ts';

const now = Date.now();
const HOUR = 3_600_000;

const token = (
  id: string,
  kind: string,
  label: string,
  device: string | null,
  revokedAt: number | null = null,
) => ({
  tokenId: id,
  tokenPrefix: `gsv_${kind}_${id.slice(0, 3)}`,
  uid: 1000,
  kind,
  label,
  allowedRole: null,
  allowedDeviceId: device,
  createdAt: now - 90 * HOUR,
  expiresAt: null,
  lastUsedAt: device === 'tablet' ? null : now - 2 * HOUR,
  revokedAt,
  revokedReason: revokedAt === null ? null : 'lost',
});

const tokens = [
  token('a1b2', 'node', 'build-box', 'build-box'),
  token('c3d4', 'node', 'nas', 'nas'),
  token('i9j0', 'node', 'old-laptop', 'old-laptop'),
  token('e5f6', 'user', 'backup script', null),
  token('g7h8', 'node', 'old-phone', 'old-phone', now - 30 * HOUR),
];

type Given = Record<string, unknown>;
type Answer = (gsv: ScriptedGsv, args: Given) => unknown;

const ok = { ok: true };
const answers: Partial<Record<SyscallName, Answer>> = {
  'proc.history': (gsv, { pid, offset, limit }) => {
    const all = gsv.scene.messages[String(pid)] ?? [];
    const from = Number(offset ?? 0);
    const messages = all
      .slice(from, from + Number(limit ?? 200))
      .map(({ id, role, content, timestamp, runId, ...meta }) => ({
        id,
        role,
        content: role === 'assistant' || role === 'toolResult' ? { blocks: content, ...meta } : content,
        timestamp,
        ...(runId === null ? {} : { runId }),
      }));
    return { ok: true, pid, messages, messageCount: all.length };
  },
  'proc.send': (gsv, { pid, message }) => {
    const view = `conversation ${pid}`;
    const busy = gsv.scene.views[view]?.has('run') === true;
    const messageId = `q${gsv.calls.length}`;
    if (busy)
      gsv.put(view, {
        [`q:${messageId}`]: { messageId, runId: messageId, text: message, queuedAt: Date.now() },
      });
    else
      gsv.append(String(pid), {
        role: 'user',
        content: [{ type: 'text', text: String(message) }],
        runId: messageId,
      });
    return { ok: true, status: 'started', runId: messageId, ...(busy ? { queued: true } : {}) };
  },
  'proc.queue.remove': (gsv, { pid, messageId }) => {
    const view = `conversation ${pid}`;
    const key = [...(gsv.scene.views[view] ?? [])].find(
      ([, row]) => (row as Given).messageId === messageId,
    )?.[0];
    if (key !== undefined) gsv.put(view, { [key]: null });
    return { ok: true, removed: key !== undefined };
  },
  'proc.queue.update': (gsv, { pid, messageId, message }) => {
    const view = `conversation ${pid}`;
    const known = [...(gsv.scene.views[view] ?? [])].find(
      ([, row]) => (row as Given).messageId === messageId,
    );
    if (known) gsv.put(view, { [known[0]]: { ...known[1], text: message } });
    return { ok: true, updated: known !== undefined };
  },
  'proc.abort': (gsv, { pid }) => {
    gsv.put(`conversation ${pid}`, { run: null, hil: null });
    return { ok: true, pid, aborted: true };
  },
  'proc.hil': (gsv, { pid, requestId, decision }) => {
    gsv.put(`conversation ${pid}`, { hil: null });
    return { ok: true, pid, requestId, decision, resumed: true };
  },
  'proc.retry': () => ({ ok: true, runId: 'again' }),
  'proc.spawn': (_gsv, { profile }) => ({
    ok: true,
    pid: profile === 'init' ? 'init:1000' : 'task:receipts',
    profile,
    workspaceId: null,
    cwd: '/home/sam',
  }),
  'proc.reset': (_gsv, { pid }) => ({ ok: true, pid, archivedMessages: 12, archives: [] }),
  'proc.kill': (_gsv, { pid }) => ({ ok: true, pid, archivedMessages: 12, archives: [] }),
  'proc.profile.list': () => ({
    profiles: [
      {
        id: 'task',
        kind: 'system',
        displayName: 'Task',
        description: 'Works on one thing.',
        interactive: true,
        startable: true,
        background: false,
        spawnMode: 'new',
      },
      {
        id: 'review',
        kind: 'system',
        displayName: 'Review',
        description: 'Reads and judges, changes nothing.',
        interactive: true,
        startable: true,
        background: false,
        spawnMode: 'new',
      },
    ],
  }),
  'proc.approval.list': () => ({
    approvals: [
      {
        approvalId: 'ap1',
        syscall: 'shell.exec',
        target: 'device',
        words: ['git', 'push'],
        createdAt: now - 50 * HOUR,
      },
      {
        approvalId: 'ap2',
        syscall: 'shell.exec',
        target: 'device',
        words: ['npm', 'install'],
        createdAt: now - 200 * HOUR,
      },
    ],
  }),
  'proc.approval.revoke': () => ({ revoked: true }),
  'sys.config.get': () => ({
    entries: [
      { key: 'users/1000/ai/provider', value: 'openai-compatible' },
      { key: 'users/1000/ai/base_url', value: 'http://localhost:11434/v1' },
      { key: 'users/1000/ai/model', value: 'qwen3:8b' },
      { key: 'users/1000/ai/api_key', value: '(set)' },
      { key: 'users/1000/ai/budget/run_cost', value: '0.50' },
    ],
  }),
  'sys.config.set': () => ok,
  'sys.seal.get': () => ({
    ...{ sealed: true, gsvId: 'gsv-1', epoch: 1, since: Date.now(), phrase: 'kept' },
    ...{ resealing: null, faults: [] },
  }),
  'sys.token.list': () => ({ tokens }),
  'sys.token.create': (_gsv, { kind, label, allowedDeviceId }) => ({
    token: {
      ...token(
        'n1m2',
        String(kind),
        String(label ?? ''),
        typeof allowedDeviceId === 'string' ? allowedDeviceId : null,
      ),
      token: `gsv_${kind}_q7Zk0mN3vX9sT1bR5cW8dY2fH4jL6pAe`,
    },
  }),
  'sys.token.revoke': () => ({ revoked: true }),
  'sys.device.update': (gsv, { deviceId, description }) => {
    const row = gsv.scene.views.devices?.get(String(deviceId));
    if (row !== undefined) gsv.put('devices', { [String(deviceId)]: { ...row, description } });
    return { device: null };
  },
  'sys.join': () => ({ joined: true }),
  'ai.models': () => ({
    models: ['llama3.3:70b', 'qwen3:8b', 'gpt-oss:20b'].map((id) => ({ id, name: id })),
  }),
  'ai.test': (gsv) =>
    gsv.scene.name === 'alone'
      ? { ok: false, error: 'Nothing answers at http://localhost:11434. Is the program running?' }
      : { ok: true, text: 'yes', durationMs: 840, viaRelay: false },
};

/** What the script answers; undefined where it has nothing to say. */
export function answerOf(gsv: ScriptedGsv, name: SyscallName, args: unknown): unknown {
  return (answers[name] ?? sharingAnswers[name])?.(gsv, args as Given);
}
