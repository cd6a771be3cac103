/** This replica: its id, and its number, by which its rows differ from those of others. */
export type Self = { readonly id: string; readonly index: number };

/** What a conversation needs beside its documents. */
export type Surroundings = {
  /** Resolves to whether all that the room has of an open document is here; at once where there is no room. Must not reject. */
  caughtUp(name: string): Promise<boolean>;
  /** Runs something a little later; the returned function cancels it. */
  later(run: () => void): () => void;
};
export const NOTHING_AROUND: Surroundings = { caughtUp: async () => true, later: () => () => {} };
