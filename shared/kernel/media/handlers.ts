import { SyscallError } from '../../protocol/errors.ts';
import { readAll } from '../../protocol/streams.ts';
import type { MediaBlock } from '../../state/conversation.ts';
import type { MediaRef, mediaSyscalls } from '../../syscalls/media.ts';
import { credentialsOf } from '../fs/credentials.ts';
import { FsError } from '../fs/fs-error.ts';
import type { Caller, Handlers } from '../handler.ts';
import type { ProcHandlerParts } from '../proc/handlers.ts';
import { processAccess } from '../proc/process-access.ts';
import { type MediaStore, MOST_MEDIA_BYTES } from './media-store.ts';
import type { MediaOwner } from './place.ts';

export function mediaHandlers(parts: ProcHandlerParts): Handlers<keyof typeof mediaSyscalls> {
  const { withProcess } = processAccess(parts);
  return {
    'proc.media.put': ({ pid, name, mimeType, durationMs }, { caller, stream }) => {
      if (!stream) throw new SyscallError(400, 'proc.media.put needs a byte stream');
      return withProcess(caller, pid, async (_process, row) => {
        const bytes = await readAll(stream, MOST_MEDIA_BYTES);
        const about = { name, ...(durationMs === undefined ? {} : { durationMs }) };
        const { type: _, ...media } = await asWords(() => parts.media.put(row, bytes, about, mimeType));
        return { ok: true, media };
      });
    },
  };
}

/** What a message refers to, as it is stored. Throws with words for a person when one of it cannot be had. */
export async function referred(
  store: MediaStore,
  owner: MediaOwner,
  caller: Caller,
  refs: readonly MediaRef[],
): Promise<MediaBlock[]> {
  const media: MediaBlock[] = [];
  for (const ref of refs) media.push(await asWords(() => store.refer(owner, credentialsOf(caller), ref)));
  return media;
}

/** A failure of the filesystem as one of the syscall. */
async function asWords<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    if (thrown.code === 'ENOSPC') throw new SyscallError(507, thrown.reason, { retryable: true });
    throw new SyscallError(400, thrown.message);
  }
}
