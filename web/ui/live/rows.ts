import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Gsv, ViewArgs } from '../../client/gsv.ts';

export type Rows<Row> = {
  rows: Accessor<ReadonlyMap<string, Row>>;
  total: Accessor<number>;
  ready: Accessor<boolean>;
};

const none = new Map<string, never>();

/** A view's rows as a signal; opened again when its arguments change. The kernel is the one that checks the rows' shape. */
export function createRows<Row>(gsv: Gsv, args: Accessor<ViewArgs | null>): Rows<Row> {
  const [state, setState] = createSignal<{ rows: ReadonlyMap<string, Row>; total: number; ready: boolean }>({
    rows: none,
    total: 0,
    ready: false,
  });
  createEffect(() => {
    const wanted = args();
    setState({ rows: none, total: 0, ready: false });
    if (wanted === null) return;
    onCleanup(
      gsv.watch(wanted, (rows, total) =>
        setState({
          rows: rows as ReadonlyMap<string, unknown> as ReadonlyMap<string, Row>,
          total,
          ready: true,
        }),
      ),
    );
  });
  return { rows: () => state().rows, total: () => state().total, ready: () => state().ready };
}
