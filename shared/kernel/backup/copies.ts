import { messageOf, SyscallError } from '../../protocol/errors.ts';
import { CONTROL_DOC, type ControlTables, controlTables } from '../../state/control.ts';
import { keepControlApart } from '../../state/control-moves.ts';
import { SYSTEM_DOC } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { Documents } from '../documents.ts';
import type { Handlers } from '../handler.ts';
import type { Copies, Copy } from '../ports/copies.ts';
import type { Membership } from '../sync/membership.ts';
import { demandOwner } from '../sync/owner.ts';
import { Export, streamFrom } from './export.ts';

export type CopiesParts = {
  /** Undefined on a host that makes none. */
  copies: Copies | undefined;
  clock: Clock;
  /** Contents that the copy itself does not have. */
  readBlob(hash: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  joined(): boolean;
  membership: Pick<Membership, 'resign'>;
  flush(): Promise<void>;
};

/** `sys.backup`: copies of everything, for the owner, since each holds everything. */
export function copiesHandlers(
  parts: CopiesParts,
): Handlers<'sys.backup.list' | 'sys.backup.export' | 'sys.backup.restore' | 'sys.backup.remove'> {
  const { copies } = parts;
  const find = async (name: string): Promise<Copy | undefined> =>
    (await copies?.list())?.find((copy) => copy.name === name);
  return {
    'sys.backup.list': async (_args, { caller }) => {
      demandOwner(caller.identity);
      return { backups: (await copies?.list()) ?? [] };
    },
    'sys.backup.export': async ({ name }, { caller, sendBytes }) => {
      demandOwner(caller.identity);
      const copy = await find(name);
      if (!copies || !copy) throw new SyscallError(404, 'This copy is no more');
      const { file, close } = await opened(parts, copies, copy);
      sendBytes(streamFrom(closing(file.bytes(), close)));
      return { name: file.name.replace(/^gsv-/, 'gsv-before-update-') };
    },
    'sys.backup.restore': async ({ name }, { caller }) => {
      demandOwner(caller.identity);
      const copy = await find(name);
      if (!copies || !copy) throw new SyscallError(404, 'This copy is no more');
      return { kept: await goBack(parts, copies, copy) };
    },
    'sys.backup.remove': async ({ name }, { caller }) => {
      demandOwner(caller.identity);
      const copy = await find(name);
      if (copy) await copies?.remove(name);
      return { removed: copy !== undefined };
    },
  };
}

/**
 * What is shared with others cannot be set back by one of them: whatever they have is newer and would come over it. So a
 * replica goes back alone, and leaves its room first.
 */
async function goBack({ joined, membership, flush }: CopiesParts, copies: Copies, copy: Copy): Promise<Copy> {
  await flush();
  const kept = await copies.make().catch((thrown: unknown) => {
    throw new SyscallError(507, messageOf(thrown), { retryable: true });
  });
  if (joined()) await membership.resign();
  await copies.restore(copy.name, kept.name);
  return kept;
}

async function opened({ clock, readBlob }: CopiesParts, copies: Copies, { name, createdAt }: Copy) {
  const { docs, blobs } = await copies.open(name);
  const documents = new Documents(docs);
  const file = new Export({
    documents,
    tables: await tablesOf(documents),
    clock: { now: () => createdAt, after: (ms, run) => clock.after(ms, run) },
    readBlob: async (hash) => (await blobs.get(hash)) ?? readBlob(hash),
    roomAway: () => true,
  });
  return { file, close: () => docs.close() };
}

/** As a kernel would find them, whichever version stored the copy. */
async function tablesOf(documents: Documents): Promise<ControlTables> {
  const [control, system] = [await documents.peek(CONTROL_DOC), await documents.peek(SYSTEM_DOC)];
  keepControlApart({ control, system });
  return controlTables(control);
}

async function* closing(
  bytes: AsyncGenerator<Uint8Array>,
  close: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    await close();
  }
}
