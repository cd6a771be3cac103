import { createEncoder, length, toUint8Array, writeUint8Array, writeVarUint } from 'lib0/encoding';
import * as Y from 'yjs';

type Struct = ReturnType<typeof Y.decodeUpdate>['structs'][number];
type Deletions = ReturnType<typeof Y.decodeUpdate>['ds'];
/** Consecutive structs of one client, encoded. */
type Section = { encoder: Y.UpdateEncoderV1; clock: number; count: number };

/**
 * An update in pieces of about `bytes` each; one row that is longer is a piece of its own. Applied in order, each
 * piece takes effect at once, for it needs nothing of those after it. What was deleted comes with the last piece.
 */
export function updatePieces(update: Uint8Array, bytes: number): Uint8Array[] {
  if (update.length <= bytes) return [update];
  const { structs, ds } = Y.decodeUpdate(update);
  const pieces: Uint8Array[] = [];
  let sections = new Map<number, Section>();
  let size = 0;
  for (const struct of inCausalOrder(structs)) {
    if (size >= bytes) {
      pieces.push(encodePiece(sections, undefined));
      sections = new Map();
      size = 0;
    }
    size += addStruct(sections, struct);
  }
  return [...pieces, encodePiece(sections, ds)];
}

/** Returns how many bytes it took. */
function addStruct(sections: Map<number, Section>, struct: Struct): number {
  const { client, clock } = struct.id;
  const section = sections.get(client) ?? { encoder: new Y.UpdateEncoderV1(), clock, count: 0 };
  sections.set(client, section);
  const before = length(section.encoder.restEncoder);
  struct.write(section.encoder, 0);
  section.count += 1;
  return length(section.encoder.restEncoder) - before;
}

function encodePiece(sections: Map<number, Section>, deletions: Deletions | undefined): Uint8Array {
  const piece = createEncoder();
  writeVarUint(piece, sections.size);
  for (const [client, { encoder, clock, count }] of sections) {
    for (const head of [count, client, clock]) writeVarUint(piece, head);
    writeUint8Array(piece, encoder.toUint8Array());
  }
  const deleted = [...(deletions?.clients ?? [])];
  writeVarUint(piece, deleted.length);
  for (const [client, ranges] of deleted) {
    writeVarUint(piece, client);
    writeVarUint(piece, ranges.length);
    for (const { clock, len } of ranges) {
      writeVarUint(piece, clock);
      writeVarUint(piece, len);
    }
  }
  return toUint8Array(piece);
}

/** Every struct after those that it was made on top of. */
function inCausalOrder(structs: readonly Struct[]): Struct[] {
  const queues = new Map<number, Struct[]>();
  for (const struct of structs) {
    const queue = queues.get(struct.id.client);
    if (queue) queue.push(struct);
    else queues.set(struct.id.client, [struct]);
  }
  const next = new Map<number, number>();
  const ordered: Struct[] = [];
  /** No client waits for itself, so this goes no deeper than there are clients. */
  const take = (client: number, before: number): void => {
    const queue = queues.get(client) ?? [];
    for (let at = next.get(client) ?? 0; at < queue.length; at += 1) {
      const struct = queue[at];
      if (!struct || struct.id.clock >= before) return;
      for (const needed of requirements(struct)) {
        if (needed.client !== client) take(needed.client, needed.clock + 1);
      }
      ordered.push(struct);
      next.set(client, at + 1);
    }
  };
  for (const client of queues.keys()) take(client, Number.POSITIVE_INFINITY);
  return ordered;
}

function requirements(struct: Struct): Y.ID[] {
  if (!(struct instanceof Y.Item)) return [];
  const { origin, rightOrigin, parent } = struct;
  return [origin, rightOrigin, parent].filter((id): id is Y.ID => id instanceof Y.ID);
}
