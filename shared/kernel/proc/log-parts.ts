import type * as Y from 'yjs';
import type { MessageRow } from '../../state/conversation.ts';
import type { Documents } from '../documents.ts';

/** Messages that came or went from elsewhere; `all` when it cannot be said which. */
export type LogChange = { put: MessageRow[]; deleted: number[]; all: boolean };

/** What the messages of one generation need around them. */
export type LogParts = {
  documents: Documents;
  /** Names the conversation and ends with a slash. */
  prefix: string;
  /** The document that holds the counts. */
  state: Y.Doc;
  generation: number;
  /** Bases of this generation are not below it. */
  firstBase: number;
  /** The number of this replica. */
  writer: number;
  /** Resolves to whether everything that the room has of an open document is here. Must not reject. */
  caughtUp(name: string): Promise<boolean>;
  /** Whether anybody wants to hear of messages that are not open here. */
  watched(): boolean;
  changed(change: LogChange): void;
};
