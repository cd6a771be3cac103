import { causedIno } from './caused-ino.ts';
import type { Inode, InodeRow } from './inode-row.ts';
import { contentsKey } from './merge-rows.ts';
import { NAME_BYTES } from './paths.ts';

const encoder = new TextEncoder();

/**
 * The file that holds contents which were written apart from those of `kept` and lost its name to them. Its inode
 * follows from the cause, so that every replica that makes it makes the same.
 */
export function conflictCopy(ino: string, kept: InodeRow, lost: InodeRow): Inode {
  const { parent, mode, uid, gid } = kept;
  const { kind, size, mtime, content, target } = lost;
  return {
    ino: causedIno(ino, lost.stamps?.contents ?? lost.version ?? {}, contentsKey(lost)),
    parent,
    name: copyName(kept.name, mtime),
    kind,
    mode,
    uid,
    gid,
    size,
    mtime,
    ...(content ? { content } : {}),
    ...(target === undefined ? {} : { target }),
  };
}

/** `notes (from 2026-01-02 03.04 UTC on another device).md`: short enough for a name, with its ending. */
export function copyName(name: string, when: number): string {
  const dot = name.lastIndexOf('.');
  const [base, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  const time = new Date(Math.min(when, LATEST))
    .toISOString()
    .slice(0, 16)
    .replace('T', ' ')
    .replace(':', '.');
  const note = ` (from ${time} UTC on another device)`;
  const room = NAME_BYTES - encoder.encode(note + ending).length;
  return room > 0
    ? cut(base, room) + note + ending
    : cut(name, NAME_BYTES - encoder.encode(note).length) + note;
}

/** The last moment that a date can name. */
const LATEST = 8.64e15;

/** As many whole characters as fit into this number of bytes. */
function cut(text: string, bytes: number): string {
  const encoded = encoder.encode(text);
  if (encoded.length <= bytes) return text;
  return new TextDecoder().decode(encoded.subarray(0, bytes), { stream: true });
}
