import type { ContextRow, RunRow } from '../../state/conversation.ts';
import type { AssistantBlock, ModelOutcome } from '../ports/models.ts';
import { textOf } from './turn.ts';

/** For the person, and for the model when it goes on. */
export const ANSWER_CUT = 'The answer was cut: the model had no room to write more.';

/** What is left of a window that an answer has filled, for what came before it: the rest is for the rest of the answer. */
const ROOM_LEFT = 0.5;

/** Whether a run goes on by itself with an answer that was cut: once, and where there is something to go on with. */
export function goesOn(run: Pick<RunRow, 'cut'>, content: readonly AssistantBlock[]): boolean {
  return run.cut === undefined && textOf(content).trim() !== '';
}

/** How full the window is after an answer. One that was cut before its own limit has filled it, whatever was estimated. */
export function contextAfter(context: ContextRow, outcome: ModelOutcome, maxTokens: number): ContextRow {
  const cut = outcome.kind === 'message' && outcome.stop === 'length';
  if (!cut || (outcome.usage?.output ?? 0) >= maxTokens) return context;
  return { ...context, pressure: Math.max(1, context.pressure), level: 'full' };
}

/** The part of the window that a prompt may take: less where the answer that goes on has filled it. */
export function windowFor(
  { cut }: Pick<RunRow, 'cut'>,
  context: ContextRow | undefined,
  window: number,
): number {
  const filled = cut !== undefined && (context?.pressure ?? 0) >= 1;
  return filled ? Math.floor(window * ROOM_LEFT) : window;
}
