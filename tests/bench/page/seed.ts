import { Documents } from '../../../shared/kernel/documents.ts';
import { Conversation } from '../../../shared/kernel/proc/conversation.ts';
import type { NewMessage } from '../../../shared/kernel/proc/message-log.ts';
import { ProcessStates } from '../../../shared/kernel/proc/process-states.ts';
import { newRow } from '../../../shared/kernel/proc/spawn.ts';
import { DEFAULT_CONVERSATION } from '../../../shared/state/conversation-names.ts';
import { KERNEL_LOCK } from '../../../web/kernel-host/door.ts';
import { systemClock, systemRandom } from '../../../web/kernel-host/platform.ts';
import { openDatabase } from '../../../web/kernel-host/storage/database.ts';
import { DexieDocs } from '../../../web/kernel-host/storage/dexie-docs.ts';
import { DiskKeeper } from '../../../web/kernel-host/storage/disk-keeper.ts';
import { SealedVault } from '../../../web/kernel-host/storage/sealed-vault.ts';
import { openTables } from '../../support/open-tables.ts';

/** Messages of one transaction: what a run with a few tool calls writes between two flushes. */
const BATCH = 200;
/** The one replica that there is. */
const FOUNDER = { id: 'seeded', index: 0 };
const ALONE = { kind: 'holder', epoch: 0 } as const;
const MESSAGES_OF_A_SHORT_CONVERSATION = 4;

/** Runs `step` on this profile's documents, through the kernel's own classes, while no kernel runs. */
async function withDocuments(step: (documents: Documents) => Promise<void>): Promise<void> {
  await navigator.locks.request(KERNEL_LOCK, async () => {
    const database = openDatabase();
    const keeper = await DiskKeeper.load(new SealedVault(database), systemRandom);
    const store = new DexieDocs(database, systemClock, await keeper.key());
    const documents = new Documents(store);
    await step(documents);
    await documents.flush();
    await store.close();
  });
}

/** Users and assistants by turns; each text is its own. */
export function seedMessages(pid: string, count: number, characters: number): Promise<void> {
  return withDocuments(async (documents) => {
    const conversation = await Conversation.open(documents, pid, DEFAULT_CONVERSATION, FOUNDER);
    for (let at = 0; at < count; at += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - at) }, (_, n) =>
        message(at + n, characters),
      );
      for (const one of batch) await conversation.append([one]);
      await documents.flush();
    }
  });
}

/** Processes of the first user, each with its row's usual changes and a few messages. */
export function seedProcesses(count: number): Promise<void> {
  return withDocuments(async (documents) => {
    const tables = await openTables(documents);
    const { processes, users } = tables;
    const states = new ProcessStates(tables, FOUNDER);
    const user = users.rows().find(({ uid }) => uid !== 0);
    if (!user) throw new Error('Nobody is set up');
    const identity = { ...user, cwd: user.home, workspaceId: null };
    for (let n = 0; n < count; n += 1) {
      const pid = crypto.randomUUID();
      const own = { cwd: user.home, workspaceId: null, profile: 'task', parentPid: null, contextFiles: [] };
      processes.put(pid, newRow(Date.now(), identity, pid, { ...own, label: `Conversation ${n}` }));
      const place = { pid, conversationId: DEFAULT_CONVERSATION };
      const messageCount = MESSAGES_OF_A_SHORT_CONVERSATION;
      states.say({ ...place, state: 'running' }, ALONE);
      states.say({ ...place, state: 'idle', messageCount, updatedAt: Date.now() }, ALONE);
      const conversation = await Conversation.open(documents, pid, DEFAULT_CONVERSATION, FOUNDER);
      for (let at = 0; at < MESSAGES_OF_A_SHORT_CONVERSATION; at += 1) {
        await conversation.append([message(at, 200)]);
      }
    }
  });
}

/** Schedules that run a command every day at some minute of a far hour. */
export function seedSchedules(count: number): Promise<void> {
  return withDocuments(async (documents) => {
    const { schedules, users } = await openTables(documents);
    const owner = users.rows().find(({ uid }) => uid !== 0);
    if (!owner) throw new Error('Nobody is set up');
    const now = Date.now();
    const hour = (new Date(now).getUTCHours() + 12) % 24;
    for (let n = 0; n < count; n += 1) {
      schedules.put(`seeded-${n}`, {
        ...{ id: `seeded-${n}`, ownerUid: owner.uid, name: `Schedule ${n}`, description: null },
        expression: { kind: 'cron', expr: `${n % 60} ${hour} * * *`, timezone: 'UTC' },
        target: { kind: 'shell.exec', input: 'true' },
        ...{ enabled: true, misfirePolicy: 'skip', retry: { limit: 0, backoffMs: 60_000 } },
        ...{ author: { kind: 'person' }, armedAtMs: now, createdAtMs: now, updatedAtMs: now },
      });
    }
  });
}

/** The text of a message, as `pi-worker.ts` is given it too. */
export function textOf(at: number, characters: number): string {
  return `${at} ${'the quick brown fox jumps over the lazy dog '.repeat(Math.ceil(characters / 44))}`.slice(
    0,
    characters,
  );
}

function message(at: number, characters: number): NewMessage {
  const common = { content: [{ type: 'text' as const, text: textOf(at, characters) }], timestamp: at + 1 };
  if (at % 2 === 0) return { ...common, role: 'user', runId: `seeded-${at}` };
  return {
    ...common,
    role: 'assistant',
    runId: `seeded-${at - 1}`,
    provider: 'openai-compatible',
    model: 'scripted',
    stop: 'stop',
  };
}
