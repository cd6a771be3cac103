import { createEffect, For, type JSX } from 'solid-js';
import { Link } from './link.tsx';

export type Tab = { href: string; name: string; current: boolean };

/** Links between neighbouring views. Where there are more than fit, the current one is scrolled into sight. */
export function Tabs(props: { label: string; tabs: readonly Tab[] }): JSX.Element {
  let bar: HTMLElement | undefined;
  createEffect(() => {
    const at = props.tabs.findIndex(({ current }) => current);
    bar?.children[at]?.scrollIntoView({ block: 'nearest', inline: 'center' });
  });
  return (
    <nav class="tabs" aria-label={props.label} ref={bar}>
      <For each={props.tabs.map(({ href }) => href)}>
        {(href, at) => (
          <Link href={href} current={props.tabs[at()]?.current ?? false}>
            {props.tabs[at()]?.name}
          </Link>
        )}
      </For>
    </nav>
  );
}
