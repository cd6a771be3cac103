import type { Page } from '../../context.ts';
import type { About } from '../../live/conversation.ts';

/** Messages that stay as they are unless a person says otherwise. */
export const KEEP_LAST = 20;

/**
 * Archives all but the newest messages behind a summary: the given one, else the model's. Resolves to whether it was
 * done; the person is told either way.
 */
export async function compactConversation(
  { gsv, notices }: Pick<Page, 'gsv' | 'notices'>,
  about: About,
  { keepLast, summary }: { keepLast: number; summary?: string },
): Promise<boolean> {
  const how = summary === undefined ? { generateSummary: true } : { summary };
  const answer = await notices.attempt('The conversation was not compacted', () =>
    gsv.call('proc.conversation.compact', { ...about, keepLast, ...how }),
  );
  if (answer !== null) notices.good(`${answer.archivedMessages} messages are archived and summarised.`);
  return answer !== null;
}
