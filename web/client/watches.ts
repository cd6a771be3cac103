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
  onRows: OnRows;
  viewId: string | null;
  rows: Map<string, ViewRow['value']>;
  ended: boolean;
};

/** The views that this tab has open; they are opened again on every new connection. */
export class Watches {
  readonly #watches = new Set<Watch>();
  /** Patches that came before the answer that names their view. */
  readonly #early = new Map<string, Patch[]>();

  #peer: Peer | null = null;

  add(args: ViewArgs, onRows: OnRows): () => void {
    const watch: Watch = { args, onRows, viewId: null, rows: new Map(), ended: false };
    this.#watches.add(watch);
    if (this.#peer) void this.#open(this.#peer, watch);
    return () => {
      watch.ended = true;
      this.#watches.delete(watch);
      if (watch.viewId !== null)
        void this.#peer?.call('view.close', { viewId: watch.viewId }).catch(() => {});
    };
  }

  /** A new connection stands and is signed in. */
  reopen(peer: Peer): void {
    this.#peer = peer;
    this.#early.clear();
    for (const watch of this.#watches) {
      watch.viewId = null;
      void this.#open(peer, watch);
    }
  }

  patch(payload: unknown): void {
    if (!matches(Patch, payload)) return;
    const watch = [...this.#watches].find(({ viewId }) => viewId === payload.viewId);
    if (watch) this.#apply(watch, payload);
    else this.#early.set(payload.viewId, [...(this.#early.get(payload.viewId) ?? []), payload]);
  }

  async #open(peer: Peer, watch: Watch): Promise<void> {
    const reply = await peer.call('view.open', watch.args).catch(() => null);
    if (!reply || watch.ended) return;
    const { viewId, rows, total } = reply.data as Result<'view.open'>;
    watch.viewId = viewId;
    watch.rows = new Map(rows.map(({ key, value }) => [key, value]));
    watch.onRows(watch.rows, total);
    for (const patch of this.#early.get(viewId) ?? []) this.#apply(watch, patch);
    this.#early.delete(viewId);
  }

  #apply(watch: Watch, { put, del, total, reset }: Patch): void {
    const rows = new Map(reset ? [] : watch.rows);
    for (const key of del) rows.delete(key);
    for (const { key, value } of put) rows.set(key, value);
    watch.rows = rows;
    watch.onRows(rows, total);
  }
}
