import { type Accessor, createMemo, createSignal, For, type JSX, Show } from 'solid-js';

/** Shown at first, and so many more each time somebody asks. */
const FIRST = 40;
const MORE = 200;

/**
 * The first items of a list whose rest is made when somebody asks for it: a thousand rows cost what forty cost. An item
 * keeps its elements as long as its key is there, also when another object takes its place.
 */
export function Some<Item>(props: {
  each: readonly Item[];
  by(item: Item): string;
  children: (item: Accessor<Item>) => JSX.Element;
}): JSX.Element {
  const [limit, setLimit] = createSignal(FIRST);
  const shown = createMemo(
    () => new Map(props.each.slice(0, limit()).map((item) => [props.by(item), item] as const)),
  );
  const keys = createMemo(() => [...shown().keys()]);
  const rest = (): number => props.each.length - limit();
  return (
    <>
      <For each={keys()}>
        {(key) => {
          const item = createMemo((known: Item | undefined) => shown().get(key) ?? known);
          return <Show when={item()}>{(found) => props.children(found as Accessor<Item>)}</Show>;
        }}
      </For>
      <Show when={rest() > 0}>
        <li class="some-more">
          <button type="button" class="text-button" onClick={() => setLimit((now) => now + MORE)}>
            {rest() > MORE ? `Show ${MORE} of ${rest()} more` : `Show ${rest()} more`}
          </button>
        </li>
      </Show>
    </>
  );
}
