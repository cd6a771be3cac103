import type { SyscallName } from '../../shared/syscalls/table.ts';

const hash = 'a'.repeat(64);

const examples: Partial<Record<SyscallName, Record<string, unknown>>> = {
  'sys.connect': { protocol: 1, client: { id: 'x', version: '1', platform: 'p', role: 'user' } },
  'sys.setup': { username: 'ada', password: 'long enough' },
  'sys.config.set': { key: 'a', value: '' },
  'sys.device.get': { deviceId: 'laptop' },
  'sys.device.update': { deviceId: 'laptop', description: '' },
  'sys.token.create': { kind: 'user' },
  'sys.token.revoke': { tokenId: 'x' },
  'sys.join': { secret: 'x'.repeat(20) },
  'fs.read': { path: 'a' },
  'fs.write': { path: 'a', content: '' },
  'fs.edit': { path: 'a', oldString: 'a', newString: 'b' },
  'fs.delete': { path: 'a' },
  'fs.search': { query: 'a' },
  'fs.transfer.read': { path: 'a' },
  'fs.transfer.write': { path: 'a' },
  'shell.exec': { input: '' },
  'proc.spawn': { profile: 'task' },
  'proc.send': { message: 'a' },
  'proc.hil': { requestId: 'a', decision: 'deny' },
  'proc.kill': { pid: 'a' },
  'proc.queue.remove': { messageId: 'a' },
  'proc.conversation.close': { conversationId: 'a' },
  'proc.approval.revoke': { approvalId: 'a' },
  'proc.setidentity': {
    pid: 'a',
    profile: 'task',
    identity: { uid: 1, gid: 1, gids: [], username: 'a', home: '/', cwd: '/', workspaceId: null },
  },
  'ai.models': { provider: 'a' },
  'view.open': { view: 'status' },
  'view.close': { viewId: 'a' },
  'doc.open': { doc: 'system', channel: 1 },
  'doc.close': { channel: 7 },
  'doc.remove': { docs: [] },
  'blob.missing': { hashes: [] },
  'blob.put': { hash, size: 1, offset: 0 },
  'blob.get': { hash, offset: 0 },
  'blob.release': { hashes: [] },
  'lease.acquire': { name: 'seat', force: false },
  'lease.release': { name: 'seat', epoch: 1 },
  'lease.get': { name: 'seat' },
  'sys.replica.update': { replicaId: 'a', name: 'b' },
  'sys.replica.revoke': { replicaId: 'a' },
  'sys.erase': { force: false },
  'sys.import': { size: 1, password: 'long enough' },
  'proc.export': { format: 'json' },
  'notification.create': { title: 'a' },
  'notification.mark_read': { notificationId: 'a' },
  'notification.dismiss': { notificationId: 'a' },
};

/** Arguments that are whole; only the required fields are there. */
export function exampleOf(name: SyscallName): Record<string, unknown> {
  return examples[name] ?? {};
}
