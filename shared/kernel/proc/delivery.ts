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
