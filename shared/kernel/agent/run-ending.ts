import type { LastRow, RunRow } from '../../state/conversation.ts';
import type { Reason } from '../local/chain.ts';
import type { Conversation } from '../proc/conversation.ts';
import type { NewMessage } from '../proc/message-log.ts';
import { note } from './run-rows.ts';

/** What the last step leaves, written with the end: messages, the run after it, and what changes beside them. */
export type LastStep = { messages: NewMessage[]; run: RunRow; also(): void };
export type Ended = {
  status: LastRow['status'];
  text: string;
  error?: string;
  note?: NewMessage;
  step?: LastStep;
};
/** `taken`: the run goes on elsewhere. */
export type Final = Ended | { status: 'taken' };
/** `next`: the run goes on with the next model of the account's chain. */
export type Ending = Final | { status: 'next'; instead: Reason };

/** How a run ended, for those who wait for it; `text` is its last answer. */
export type RunEnding = Omit<Ended, 'note' | 'step'> & {
  runId: string;
  usage: LastRow['usage'];
  conversation: Conversation;
};

export function failed(error: string, now: number, runId: string | null = null): Ended {
  return { status: 'error', text: '', error, note: note('error', error, now, runId) };
}
