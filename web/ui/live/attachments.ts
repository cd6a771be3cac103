import type { Accessor } from 'solid-js';
import { createStore, produce } from 'solid-js/store';
import type { MediaKind } from '../../../shared/fs-text/media-type.ts';
import { messageOf } from '../../../shared/protocol/errors.ts';
import type { MediaRef } from '../../../shared/syscalls/media.ts';
import type { Gsv } from '../../client/gsv.ts';
import { bytes } from '../parts/words.ts';
import type { Media } from './media.ts';

export const MOST_ATTACHMENTS = 20;
const MIB = 1024 * 1024;
const MOST_BYTES = 100 * MIB;
const UPLOAD_MS = 10 * 60_000;

export type Attachment = {
  id: number;
  name: string;
  size: number;
  kind: MediaKind;
  state: 'uploading' | 'ready' | 'failed';
  /** Of the upload, 0 to 1. */
  progress: number;
  problem: string | null;
  media: Media | null;
};

/** Files that go with the next message. They are stored as soon as they are chosen. */
export type Attachments = {
  list: readonly Attachment[];
  /** Whether all of them are stored. */
  ready: Accessor<boolean>;
  add(files: readonly File[], about?: { durationMs?: number }): void;
  /** Media that were stored before, of a message that was taken back. */
  restore(media: readonly Media[]): void;
  remove(id: number): void;
  /** Takes them all, for a message. */
  take(): Media[];
};

/** Those of each process: they stay while its person looks at something else. */
export function createAllAttachments(
  gsv: Gsv,
  refuse: (words: string) => void,
): (pid: string) => Attachments {
  const known = new Map<string, Attachments>();
  return (pid) => {
    const attachments = known.get(pid) ?? createAttachments(gsv, pid, refuse);
    known.set(pid, attachments);
    return attachments;
  };
}

function createAttachments(gsv: Gsv, pid: string, refuse: (words: string) => void): Attachments {
  const [list, setList] = createStore<Attachment[]>([]);
  let newest = 0;
  const uploads = new Map<number, AbortController>();
  const nextId = (): number => {
    newest += 1;
    return newest;
  };
  const update = (id: number, changes: Partial<Attachment>): void =>
    setList((one) => one.id === id, changes as Attachment);
  const clear = (): void => {
    setList([]);
    uploads.clear();
  };

  const upload = async (id: number, given: File, durationMs?: number): Promise<void> => {
    const abort = new AbortController();
    uploads.set(id, abort);
    const { shrunk } = await import('./shrink.ts');
    const { counted } = await import('./files.ts');
    const file = await shrunk(given);
    if (abort.signal.aborted) return;
    const onBytes = (count: number): void =>
      update(id, { progress: file.size === 0 ? 1 : count / file.size });
    try {
      const answer = await gsv.call(
        'proc.media.put',
        {
          pid,
          name: file.name.slice(0, 200) || 'file',
          mimeType: file.type.slice(0, 128),
          ...(durationMs === undefined ? {} : { durationMs }),
        },
        { bytes: counted(file, onBytes), timeoutMs: UPLOAD_MS, signal: abort.signal },
      );
      if (!answer.ok) throw new Error(answer.error);
      const { kind, size } = answer.media;
      update(id, { state: 'ready', media: answer.media, kind, size });
    } catch (thrown) {
      update(id, { state: 'failed', problem: messageOf(thrown) });
    } finally {
      uploads.delete(id);
    }
  };

  return {
    list,
    ready: () => list.every(({ state }) => state === 'ready'),
    add(files, { durationMs } = {}) {
      for (const file of files) {
        const refusal = refusalOf(file, list.length);
        if (refusal !== null) {
          refuse(refusal);
          continue;
        }
        const id = nextId();
        const { name, size, type } = file;
        const start: Attachment = {
          id,
          name: name || 'file',
          size,
          kind: kindOf(type),
          state: 'uploading',
          progress: 0,
          problem: null,
          media: null,
        };
        setList(produce((all) => void all.push(start)));
        void upload(id, file, durationMs);
      }
    },
    restore(media) {
      for (const one of media) {
        const { name, size, kind } = one;
        const id = nextId();
        const stored: Attachment = {
          id,
          name,
          size,
          kind,
          state: 'ready',
          progress: 1,
          problem: null,
          media: one,
        };
        setList(produce((all) => void all.push(stored)));
      }
    },
    remove(id) {
      const gone = list.find((one) => one.id === id);
      uploads.get(id)?.abort();
      setList((all) => all.filter((one) => one.id !== id));
      if (gone?.media) void gsv.call('fs.delete', { path: gone.media.path }).catch(() => {});
    },
    take() {
      const media = list.flatMap((one) => (one.media === null ? [] : [{ ...one.media }]));
      clear();
      return media;
    },
  };
}

/** What `proc.send` is told of media. */
export function refOf({ path, name, mimeType, durationMs, transcription }: Media): MediaRef {
  return {
    path,
    name: name.slice(0, 256),
    mimeType,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(transcription === undefined ? {} : { transcription }),
  };
}

/** Why a file is not attached, in words; null when it is. */
export function refusalOf({ name, size }: Pick<File, 'name' | 'size'>, attached: number): string | null {
  if (attached >= MOST_ATTACHMENTS) return `A message takes ${MOST_ATTACHMENTS} files at most.`;
  if (size > MOST_BYTES) return `“${name}” has ${bytes(size)}; a file may have ${bytes(MOST_BYTES)} at most.`;
  return null;
}

function kindOf(type: string): MediaKind {
  const [kind] = type.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document';
}
