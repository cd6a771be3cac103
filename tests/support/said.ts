import { Conversation } from '../../shared/kernel/proc/conversation.ts';
import type { NewMessage } from '../../shared/kernel/proc/message-log.ts';
import type { Block, MessageRow } from '../../shared/state/conversation.ts';
import { Hub, type LinkedReplica } from './linked-documents.ts';

/** Opens the one conversation of these tests. */
export const open = (replica: LinkedReplica): Promise<Conversation> =>
  Conversation.open(replica.documents, 'p', 'default', replica.self);

export function message(
  role: MessageRow['role'],
  text: string,
  runId: string,
  calls: string[] = [],
): NewMessage {
  const content: Block[] = [{ type: 'text', text }];
  for (const id of calls) content.push({ type: 'toolCall', id, name: 'Shell', arguments: {} });
  return { role, content, timestamp: 1, runId };
}
/** What one run says: a question, then answers. */
export const said = (runId: string, ...texts: string[]): NewMessage[] =>
  texts.map((text, at) => message(at === 0 ? 'user' : 'assistant', text, runId));

export const texts = (rows: readonly MessageRow[]): string[] =>
  rows.map(({ content: [block] }) => (block?.type === 'text' ? block.text : ''));
export const all = async (conversation: Conversation): Promise<string[]> =>
  texts(await conversation.log.slice(0, conversation.count));
export const ids = async (conversation: Conversation): Promise<number[]> =>
  (await conversation.log.slice(0, conversation.count)).map(({ id }) => id);

/** Two replicas of one conversation, of which the first has begun it. */
export async function pair() {
  const hub = new Hub();
  const [a, b] = [hub.replica(0), hub.replica(1)];
  const here = await open(a);
  await here.append(said('first', 'hello', 'hi'));
  return { hub, a, b, here, there: await open(b) };
}
