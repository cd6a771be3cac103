import type { MediaBlock } from '../../state/conversation.ts';
import type { InputMode } from '../../syscalls/proc.ts';

/** `duplicate`: it had been delivered before, and nothing was done. */
export type Sent = { runId: string; queued: boolean; duplicate?: true };
/** Something for a process under an id that stands for its cause (`std/cause-id.ts`). */
export type Delivery = {
  messageId: string;
  text: string;
  origin: 'user' | 'event';
  conversationId?: string;
  /** As in a run's row. */
  hops?: number;
};
/** `mode`: when it is read while a run goes on. */
export type SendOptions = { mode?: InputMode; media?: readonly MediaBlock[] };
export type Aborted = { runId: string; interrupted: number; continued: string | undefined };
