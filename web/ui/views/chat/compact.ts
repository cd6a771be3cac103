import type { Page } from '../../context.ts';
import type { About } from '../../live/conversation.ts';

/** Messages that stay as they are when a person compacts. */
const KEEP_LAST = 20;

/** Archives all but the newest messages behind a summary by the model. */
export async function compactConversation(
  { gsv, notices }: Pick<Page, 'gsv' | 'notices'>,
  about: About,
): Promise<void> {
  const answer = await notices.attempt('The conversation was not compacted', () =>
    gsv.call('proc.conversation.compact', { ...about, keepLast: KEEP_LAST, generateSummary: true }),
  );
  if (answer !== null) notices.good(`${answer.archivedMessages} messages are archived and summarised.`);
}
