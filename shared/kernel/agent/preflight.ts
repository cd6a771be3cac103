import type { MessageRow } from '../../state/conversation.ts';
import type { ContextPolicy } from '../../syscalls/conversation.ts';
import { type Hydration, hydrate } from '../media/hydrate.ts';
import type { Conversation } from '../proc/conversation.ts';
import { type WindowedHistory, windowHistory } from './context-window.ts';

/** What a run may do when its conversation does not fit the model's window. */
export type Compaction = {
  policy(): ContextPolicy;
  /** Archives all but the newest messages. Rejects with a sentence for a person. */
  compact(
    conversation: Conversation,
    keepLast: number,
    summarise: (rows: readonly MessageRow[]) => Promise<string>,
  ): Promise<unknown>;
};

export type PreflightParts = {
  conversation: Conversation;
  compaction: Compaction;
  summarise(rows: readonly MessageRow[]): Promise<string>;
  media: Hydration['store'];
  seesImages: boolean;
  onStep(activity: string): void;
  /** What went wrong, for the person. */
  onFailure(error: string): Promise<void>;
};

/** Tokens: the window, and what of it the prompt takes. */
export type Room = { window: number; prompt: number };

const FULL =
  'This conversation no longer fits the model’s window, and its policy says that it stops then. Compact it, or change the policy.';
const SMALLEST_HISTORY = 500;

/** The history for a model call, after what the conversation's policy says of pressure. A text: the run ends with it. */
export async function preflight(parts: PreflightParts, room: Room): Promise<WindowedHistory | string> {
  const { conversation, compaction, media: store, seesImages } = parts;
  const shown = (rows: readonly MessageRow[]) => hydrate(rows, { store, seesImages });
  const read = (): Promise<WindowedHistory> =>
    windowHistory(conversation.log, Math.max(room.window - room.prompt, SMALLEST_HISTORY), shown);
  const history = await read();
  const { overflow, compactAtPressure, keepLast } = compaction.policy();
  if (overflow === 'manual') return history;
  const pressure = pressureOf(history, conversation, room);
  if (overflow === 'fail') return pressure >= 1 ? FULL : history;
  if (pressure < compactAtPressure || conversation.count <= keepLast + 1) return history;
  parts.onStep('summarising what came before');
  const done = await compaction.compact(conversation, keepLast, parts.summarise).then(
    () => true,
    async (thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : 'unknown';
      await parts.onFailure(`The conversation could not be compacted: ${why}`);
      return false;
    },
  );
  return done ? read() : history;
}

function pressureOf(history: WindowedHistory, conversation: Conversation, { window, prompt }: Room): number {
  if (history.left > 0 || window <= 0) return 1;
  const measured = conversation.context.get()?.pressure ?? 0;
  return Math.max(measured, (prompt + history.tokens) / window);
}
