import { For, type JSX } from 'solid-js';
import { Icon } from './icon.tsx';
import type { Notice, Notices } from './notices.ts';
import { Dot } from './small.tsx';

/** Both regions are always there, so that a screen reader hears what is put into them. */
export function Toasts(props: { notices: Notices }): JSX.Element {
  const of = (tone: Notice['tone']): Notice[] => props.notices.list.filter((notice) => notice.tone === tone);
  return (
    <div class="toasts">
      <div role="alert">
        <For each={of('bad')}>{(notice) => <Toast notice={notice} notices={props.notices} />}</For>
      </div>
      <div role="status">
        <For each={of('good')}>{(notice) => <Toast notice={notice} notices={props.notices} />}</For>
      </div>
    </div>
  );
}

function Toast(props: { notice: Notice; notices: Notices }): JSX.Element {
  return (
    <div class="toast">
      <Dot tone={props.notice.tone} />
      <span>{props.notice.text}</span>
      <button
        type="button"
        class="icon-button"
        aria-label="Dismiss"
        onClick={() => props.notices.dismiss(props.notice.id)}
      >
        <Icon name="close" size={15} />
      </button>
    </div>
  );
}
