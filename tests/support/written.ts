import { Documents } from '../../shared/kernel/documents.ts';
import { Conversation } from '../../shared/kernel/proc/conversation.ts';
import type { NewMessage } from '../../shared/kernel/proc/message-log.ts';
import type { TestKernel } from './kernel.ts';

const STEP = 100;

/** A message of a person, the `at`th of a conversation. */
export const written = (at: number, text = `message number ${at} of many`): NewMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  timestamp: at,
  runId: `run-${at}`,
});

/** Writes messages to the disk of a kernel that does not run, as replica 0 would have. */
export async function writeHistory(
  { disk }: TestKernel,
  pid: string,
  count: number,
  message = written,
): Promise<void> {
  const documents = new Documents(disk.docs());
  const conversation = await Conversation.open(documents, pid, 'default', { id: 'written', index: 0 });
  for (let at = 0; at < count; at += STEP) {
    const messages = Array.from({ length: Math.min(STEP, count - at) }, (_, place) => message(at + place));
    await conversation.append(messages);
  }
  await conversation.flush();
}
