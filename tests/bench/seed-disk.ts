import { Documents } from '../../shared/kernel/documents.ts';
import { Conversation } from '../../shared/kernel/proc/conversation.ts';
import { newRow } from '../../shared/kernel/proc/spawn.ts';
import { Replication } from '../../shared/kernel/sync/replication.ts';
import { DEFAULT_CONVERSATION } from '../../shared/state/conversation-names.ts';
import { systemClock } from '../../web/kernel-host/platform.ts';
import type { MemoryDisk } from '../support/memory-storage.ts';
import { openTables } from '../support/open-tables.ts';

export type Seed = { conversations: number; messages: number };

/** Writes conversations of so many messages each to a disk on which somebody is set up. Resolves with their pids. */
export async function seedDisk(disk: MemoryDisk, { conversations, messages }: Seed): Promise<string[]> {
  const pids: string[] = [];
  const documents = new Documents(disk.docs());
  await Replication.open(documents, systemClock);
  const { processes, users } = await openTables(documents);
  const user = users.rows().find(({ uid }) => uid !== 0);
  if (!user) throw new Error('Nobody is set up');
  const identity = { ...user, cwd: user.home, workspaceId: null };
  const own = { cwd: user.home, workspaceId: null, profile: 'task', parentPid: null, contextFiles: [] };
  for (let n = 0; n < conversations; n += 1) {
    const pid = crypto.randomUUID();
    pids.push(pid);
    processes.put(pid, newRow(n, identity, pid, { ...own, label: `Conversation ${n}` }));
    const self = { id: 'founder', index: 0 };
    const conversation = await Conversation.open(documents, pid, DEFAULT_CONVERSATION, self);
    const text = 'A message of about the length that people write to each other, now and then longer.';
    const all = Array.from({ length: messages }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ type: 'text' as const, text }],
      timestamp: at,
      runId: `run-${n}-${Math.floor(at / 2)}`,
    }));
    await conversation.append(all);
    await conversation.close();
  }
  await documents.flush();
  return pids;
}
