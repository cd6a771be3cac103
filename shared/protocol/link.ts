import type { Frame } from './frames.ts';

/** What a link tells the peer that owns it. Neither callback may throw. */
export type LinkEvents = {
  /** A frame as received, not yet checked: text, a structured object, or bytes of a channel. */
  message(message: unknown): void;
  /** The link is gone, called once. No message follows. */
  closed(reason: string): void;
};

/**
 * One ordered, reliable connection between two programs (a WebSocket, a MessagePort, a pair in a test).
 * The peer built on it closes it.
 */
export interface Link {
  /** JSON longer than this many bytes travels beside its frame; infinite where frames are objects, not text. */
  readonly inlineBytes: number;
  /** Queues one frame. Never throws and never blocks; after the link closed it does nothing. */
  send(message: Frame | Uint8Array): void;
  /** Ends the link. `reason` is text for the other end, at most 123 bytes of UTF-8. */
  close(code: number, reason: string): void;
  /** Called exactly once, before any message can arrive. */
  listen(events: LinkEvents): void;
}
