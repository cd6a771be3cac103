import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import type { RoomStorage } from './storage.ts';

/** The same storage; whatever it rejects with becomes a 507 that a replica is told in words. */
export function refusing(storage: RoomStorage): RoomStorage {
  return {
    turn: () => storage.turn(),
    append: (...args) => told(storage.append(...args)),
    load: (...args) => told(storage.load(...args)),
    compact: (...args) => told(storage.compact(...args)),
    documents: () => told(storage.documents()),
    removeDocuments: (...args) => told(storage.removeDocuments(...args)),
    scrub: () => told(storage.scrub()),
    blob: (...args) => told(storage.blob(...args)),
    putBlob: (...args) => told(storage.putBlob(...args)),
    readBlob: (...args) => told(storage.readBlob(...args)),
    removeBlob: (...args) => told(storage.removeBlob(...args)),
    unusedBlobs: (...args) => told(storage.unusedBlobs(...args)),
    get: (...args) => told(storage.get(...args)),
    put: (...args) => told(storage.put(...args)),
    delete: (...args) => told(storage.delete(...args)),
    list: (...args) => told(storage.list(...args)),
    clear: () => told(storage.clear()),
  };
}

async function told<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (thrown) {
    throw new SyscallError(507, `The server’s storage failed: ${messageOf(thrown)}`, { retryable: true });
  }
}
