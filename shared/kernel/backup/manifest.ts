import { type Static, Type } from 'typebox';
import { matches } from '../../std/matches.ts';
import { Count, optional, Time } from '../../syscalls/declare.ts';
import { damaged } from './damaged.ts';

export const FORMAT = 'gsv-export';
/** Version 1 had no document `control`: its rows stood in `system`. */
export const FORMAT_VERSION = 2;

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The last entry of an exported file: what the file holds. Fields that are not known are passed over. */
export const Manifest = Type.Object({
  format: Type.Literal(FORMAT),
  version: Type.Integer({ minimum: 1, maximum: FORMAT_VERSION }),
  /** The version of GSV that wrote it. */
  gsv: Type.String(),
  createdAt: Time,
  username: Type.String(),
  counts: Type.Object({ documents: Count, rows: Count, files: Count, messages: Count, blobs: Count }),
  /** Every other entry; `sha256` of those that are not named by it. `size` in bytes, before packing. */
  files: Type.Array(Type.Object({ name: Type.String(), size: Count, sha256: optional(Hash) })),
  /** What could not be had when it was written. */
  missing: Type.Object({ documents: Type.Array(Type.String()), blobs: Type.Array(Hash) }),
  /** Settings whose values are secrets: they have to be typed again. */
  secrets: Type.Array(Type.String()),
});
export type Manifest = Static<typeof Manifest>;
export type Counts = Manifest['counts'];

export const noCounts: Counts = { documents: 0, rows: 0, files: 0, messages: 0, blobs: 0 };

/** Throws SyscallError 400. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged('its manifest is not JSON');
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > FORMAT_VERSION)
    throw damaged('a newer GSV wrote it; update this one first');
  if (!matches(Manifest, value)) throw damaged('its manifest is not one of GSV');
  return value;
}
