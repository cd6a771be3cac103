import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { Bell } from './bell.tsx';
import { SyncButton } from './sync-button.tsx';

/** The head of every view. On a phone it also holds what stands in the rail elsewhere: the link's state and the bell. */
export function ViewHead(props: {
  title: string;
  before?: JSX.Element;
  children?: JSX.Element;
}): JSX.Element {
  const page = usePage();
  return (
    <header class="view-head">
      {props.before}
      <div class="view-title">
        <h1>{props.title}</h1>
        <Show when={page.narrow()}>
          <SyncButton />
        </Show>
      </div>
      {props.children}
      <Show when={page.narrow()}>
        <Bell />
      </Show>
    </header>
  );
}
