import { sha256 } from '@noble/hashes/sha2.js';
import * as Y from 'yjs';
import { CONTROL_DOC, isControlSetting } from './control.ts';
import { rowCodec } from './row-codec.ts';
import { SYSTEM_DOC } from './system.ts';

/**
 * Rows of older versions that stood in `system` and belong into `control`. Every replica moves those that it finds, and
 * so does the room, each by itself and at any time. So what a move writes follows from the row alone: it is the same
 * change whoever makes it, and made again it is none. What was done to the row in `control` since then stays.
 *
 * Of rows of one name that differ, because somebody had not heard of a change before moving, the one counts that more
 * changes have led to, as if both had met in `system`; but what was revoked stays revoked.
 */
const MOVED: Readonly<Record<string, (key: string) => boolean>> = {
  users: () => true,
  groups: () => true,
  config: isControlSetting,
  tokens: () => true,
  devices: () => true,
  access: () => true,
  replicas: () => true,
  invites: () => true,
  push: () => true,
};
/**
 * Fields that a replica writes by the way. A row is moved without them, and how often it was written does not count:
 * else one that was only used meanwhile would be another row than the one that was revoked.
 */
const PASSING: Readonly<Record<string, object>> = {
  tokens: { lastUsedAt: null },
  replicas: { storage: null },
};

/** Of the 53 bits of a writer: whether it is revoked, how many changes led to it, whether it was removed, a hash. */
const HASH_BITS = 36;
const MOST_CHANGES = 2 ** 15 - 1;

/** Says in `system` that what was removed there may have been moved. */
const MARK = { table: 'moved', key: CONTROL_DOC };

type Move = { table: string; key: string; value: unknown; writer: number };

/**
 * What is to be applied to `control`, as one update; null when everything that `system` holds has been moved. The first
 * time, what was removed in `system` counts too, so that it does not come back by a replica that had not heard of it.
 */
export function controlMoves(system: Y.Doc, control: Y.Doc): Uint8Array | null {
  const isFirst = control.store.clients.size === 0 && !system.getMap(MARK.table).has(MARK.key);
  const moves = Object.keys(MOVED).flatMap((table) => movesOf(system, table, isFirst));
  const updates = moves.filter(({ writer }) => !control.store.clients.has(writer)).map(updateOf);
  return updates.length === 0 ? null : Y.mergeUpdates(updates);
}

/** Removes from `system` what `controlMoves` moves. */
export function dropMoved(system: Y.Doc): void {
  const left = maps(system).flatMap(({ table, map }) =>
    [...map.keys()].filter((key) => isMoved(table, key)).map((key) => ({ map, key })),
  );
  if (left.length === 0) return;
  system.transact(() => {
    system.getMap(MARK.table).set(MARK.key, rowCodec.encode({}));
    for (const { map, key } of left) map.delete(key);
  });
}

/** Moves what there is, and from now on what comes. */
export function keepControlApart({ system, control }: { system: Y.Doc; control: Y.Doc }): void {
  const move = (): void => {
    const update = controlMoves(system, control);
    if (update) Y.applyUpdate(control, update);
    dropMoved(system);
  };
  move();
  onMovable(system, move);
}

/** Calls back when rows that belong into `control` have come into `system`, outside of the transaction that brought them. */
export function onMovable(system: Y.Doc, move: () => void): void {
  let due = false;
  for (const { map, table } of maps(system)) {
    map.observe(({ keysChanged }) => {
      const came = [...keysChanged].some((key) => key !== null && isMoved(table, key) && map.has(key));
      if (!came || due) return;
      due = true;
      queueMicrotask(() => {
        due = false;
        move();
      });
    });
  }
}

/** The document in which a row stands, wherever an older version had it. */
export function documentOfRow(doc: string, table: string, key: string): string {
  if (doc === CONTROL_DOC && table === 'config') return isControlSetting(key) ? CONTROL_DOC : SYSTEM_DOC;
  return doc === SYSTEM_DOC && isMoved(table, key) ? CONTROL_DOC : doc;
}

function maps(system: Y.Doc): { table: string; map: Y.Map<unknown> }[] {
  return Object.keys(MOVED).map((table) => ({ table, map: system.getMap(table) }));
}

function isMoved(table: string, key: string): boolean {
  return MOVED[table]?.(key) ?? false;
}

function movesOf(system: Y.Doc, table: string, isFirst: boolean): Move[] {
  const map = system.getMap(table);
  return [...map._map].flatMap(([key, item]) => {
    if (!isMoved(table, key) || (item.deleted && !isFirst)) return [];
    const value = item.deleted ? undefined : settled(table, map.get(key));
    return [{ table, key, value, writer: writerOf(table, key, value, changesOf(table, item)) }];
  });
}

/** A row without what replicas write by the way. One that is none is moved as it is. */
function settled(table: string, stored: unknown): unknown {
  const row = rowCodec.decode(stored);
  const isRow = typeof row === 'object' && row !== null;
  return isRow ? rowCodec.encode({ ...row, ...PASSING[table] }) : stored;
}

/** How often a key was written until it came to be what it is; 0 where that does not count. */
function changesOf(table: string, item: Y.Item): number {
  if (PASSING[table]) return 0;
  let changes = 0;
  for (let at: Y.Item | null = item; at; at = at.left) changes += at.length;
  return changes;
}

/** Of two values of a key, the one of the higher writer counts: so Yjs orders what was written apart. */
function writerOf(table: string, key: string, value: unknown, changes: number): number {
  const text = JSON.stringify([table, key, value ?? null, changes]);
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = sha256(new TextEncoder().encode(text));
  const hash = (((a * 256 + b) * 256 + c) * 256 + d) * 16 + (e >> 4);
  const rank = (Math.min(changes, MOST_CHANGES) * 2 + (value === undefined ? 1 : 0)) * 2 ** HASH_BITS;
  return (isRevoked(value) ? 2 ** 52 : 0) + rank + hash;
}

function isRevoked(value: unknown): boolean {
  const row = rowCodec.decode(value) as { revokedAt?: unknown } | null | undefined;
  return typeof row?.revokedAt === 'number';
}

function updateOf({ table, key, value, writer }: Move): Uint8Array {
  const doc = new Y.Doc({ guid: 'move' });
  doc.clientID = writer;
  const map = doc.getMap(table);
  map.set(key, value ?? null);
  if (value === undefined) map.delete(key);
  const update = Y.encodeStateAsUpdate(doc);
  doc.destroy();
  return update;
}
