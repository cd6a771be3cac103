import type { FaultKind } from '../seal/fault.ts';

/** Origin of the transactions that bring in what the room sent. */
export const FROM_ROOM = Symbol('from the room');

/** What is said at once; some hosts take no longer message. */
export const PIECE_BYTES = 512 * 1024;

/**
 * As it is, as a log that the room cannot read, or to put such a log right. `published`: as such a log, and told in the
 * clear besides. `aside`: told in the clear, while nothing of what the room shows is taken into the document.
 */
export type ExchangeKind = 'clear' | 'sealed' | 'repair' | 'published' | 'aside';

/** One channel of a room's link, and who hears what comes on it. */
export type DocChannel = {
  readonly channel: number;
  /** One message of the room. Throws on bytes that are none. */
  receive(bytes: Uint8Array): void;
  /** The room says by a signal that it has stored this many of our messages. */
  acknowledge(count: number): void;
};

/** One document kept in step with the room over channels of its link. Ends with the link. */
export type DocExchange = {
  readonly channels: readonly DocChannel[];
  readonly kind: ExchangeKind;
  /** Changes and messages that the room has not confirmed. */
  readonly waiting: number;
  /** Whether the room has stored everything that is in the document. */
  readonly settled: boolean;
  /** Whether `waiting` counts all there is from now on. */
  readonly exchanging: boolean;
  /** Whether what the room had when its channels were opened is here. */
  readonly synced: boolean;
  /** Opens its channels and begins to exchange. Rejects with SyscallError when the room refuses. */
  start(): Promise<void>;
  /** Says nothing more, and hears nothing. */
  stop(): void;
  /** As `stop`, and tells the room. */
  close(): void;
  /** Has the room hold all there is under the newest key alone, where it cannot read it. */
  renew(): void;
};

export type DocExchangeEvents = {
  /** As `written` of a `SendQueue`. */
  written(trying?: () => void): Promise<void>;
  /** Something was confirmed or arrived. */
  changed(): void;
  /** The room does not have all that is here. */
  lacking(): void;
  /** The exchange is over for a reason of the room; nothing more will be confirmed. */
  refused(reason: string): void;
  /** The room handed out what it should not have. */
  fault(kind: FaultKind): unknown;
};
