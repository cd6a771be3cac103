import * as Y from 'yjs';

/** With a transaction: the update that it takes in, as it came. */
const CAME = Symbol('came');

type Listener = (update: Uint8Array, origin: unknown) => void;

/** Takes in an update from elsewhere. Throws on bytes that are none. */
export function takeIn(doc: Y.Doc, update: Uint8Array, origin: unknown): void {
  const alone = doc._transaction === null && !waitsForMore(doc);
  const add = (transaction: Y.Transaction): void => {
    Y.applyUpdate(doc, update);
    if (alone) transaction.meta.set(CAME, update);
  };
  Y.transact(doc, add, origin, false);
}

/**
 * Calls back with the update of each transaction that changed something. One that was news from its first to its last
 * byte is handed on as it came: to make it anew takes longer than to take it in. The returned function ends it.
 */
export function followUpdates(doc: Y.Doc, listener: Listener): () => void {
  const made: Listener = (update, origin) => listener(update, origin);
  const ended = (transaction: Y.Transaction): void => {
    const came = allNews(transaction);
    // Right after this an update is made, if anybody listens for one.
    if (came) doc.off('update', made);
    else doc.on('update', made);
    if (came) listener(came, transaction.origin);
  };
  doc.on('afterTransactionCleanup', ended);
  return () => {
    doc.off('afterTransactionCleanup', ended);
    doc.off('update', made);
  };
}

/** Something came before what it follows, and is kept until that comes. */
const waitsForMore = ({ store }: Y.Doc): boolean => store.pendingStructs !== null || store.pendingDs !== null;

/** What a transaction took in, when all of it was news, of writers of whom nothing was here, and nothing else was in it. */
function allNews({ doc, meta, beforeState, afterState }: Y.Transaction): Uint8Array | undefined {
  const came: Uint8Array | undefined = meta.get(CAME);
  if (!came || waitsForMore(doc)) return undefined;
  const changed = [...afterState].filter(([writer, clock]) => beforeState.get(writer) !== clock);
  return changed.length > 0 && changed.every(([writer]) => !beforeState.get(writer)) ? came : undefined;
}
