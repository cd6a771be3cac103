import { Type } from 'typebox';
import type { Peer } from '../../shared/protocol/peer.ts';
import { matches } from '../../shared/std/matches.ts';
import type { Result } from '../../shared/syscalls/table.ts';
import { ViewRow } from '../../shared/syscalls/view-row.ts';
import type { ViewArgs } from './gsv.ts';

const Patch = Type.Object({
  viewId: Type.String(),
  put: Type.Array(ViewRow),
  del: Type.Array(Type.String()),
  total: Type.Integer(),
  reset: Type.Optional(Type.Boolean()),
});
type Patch = Type.Static<typeof Patch>;

export type OnRows = (rows: ReadonlyMap<string, ViewRow['value']>, total: number) => void;

type Watch = {
  args: ViewArgs;
  listeners: Set<OnRows>;
  viewId: string | null;
  /** What the view last was; null until it was opened. */
  known: { rows: ReadonlyMap<string, ViewRow['value']>; total: number } | null;
};

/** The views that this tab has open, each once however many watch it; they are opened again on every new connection. */
export class Watches {
  /** By their arguments. */
  readonly #watches = new Map<string, Watch>();
  /** Patches that came before the answer that names their view. */
  readonly #early = new Map<string, Patch[]>();

  #peer: Peer | null = null;

  /** `onRows` is not called before this returns. */
  add(args: ViewArgs, onRows: OnRows): () => void {
    const key = JSON.stringify(args);
    const watch = this.#watches.get(key) ?? this.#begin(key, args);
    // One function may watch twice.
    const listener: OnRows = (rows, total) => onRows(rows, total);
    watch.listeners.add(listener);
    queueMicrotask(() => {
      if (watch.known && watch.listeners.has(listener)) onRows(watch.known.rows, watch.known.total);
    });
    return () => {
      watch.listeners.delete(listener);
      if (watch.listeners.size === 0 && this.#watches.get(key) === watch) this.#end(key, watch);
    };
  }

  /** A new connection stands and is signed in. */
  reopen(peer: Peer): void {
    this.#peer = peer;
    this.#early.clear();
    for (const watch of this.#watches.values()) {
      watch.viewId = null;
      void this.#open(peer, watch);
    }
  }

  patch(payload: unknown): void {
    if (!matches(Patch, payload)) return;
    const watch = [...this.#watches.values()].find(({ viewId }) => viewId === payload.viewId);
    if (watch) apply(watch, payload);
    else this.#early.set(payload.viewId, [...(this.#early.get(payload.viewId) ?? []), payload]);
  }

  #begin(key: string, args: ViewArgs): Watch {
    const watch: Watch = { args, listeners: new Set(), viewId: null, known: null };
    this.#watches.set(key, watch);
    if (this.#peer) void this.#open(this.#peer, watch);
    return watch;
  }

  #end(key: string, { viewId }: Watch): void {
    this.#watches.delete(key);
    if (viewId !== null) void this.#peer?.call('view.close', { viewId }).catch(() => {});
  }

  async #open(peer: Peer, watch: Watch): Promise<void> {
    const reply = await peer.call('view.open', watch.args).catch(() => null);
    if (!reply) return;
    const { viewId, rows, total } = reply.data as Result<'view.open'>;
    if (watch.listeners.size === 0) {
      void peer.call('view.close', { viewId }).catch(() => {});
      return;
    }
    watch.viewId = viewId;
    tell(watch, new Map(rows.map(({ key, value }) => [key, value])), total);
    for (const patch of this.#early.get(viewId) ?? []) apply(watch, patch);
    this.#early.delete(viewId);
  }
}

function apply(watch: Watch, { put, del, total, reset }: Patch): void {
  const rows = new Map(reset ? [] : watch.known?.rows);
  for (const key of del) rows.delete(key);
  for (const { key, value } of put) rows.set(key, value);
  tell(watch, rows, total);
}

function tell(watch: Watch, rows: ReadonlyMap<string, ViewRow['value']>, total: number): void {
  watch.known = { rows, total };
  for (const listener of [...watch.listeners]) listener(rows, total);
}
