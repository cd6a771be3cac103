import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import { copyText } from './clipboard.ts';
import { Icon } from './icon.tsx';

export type Tone = 'good' | 'busy' | 'wait' | 'bad' | 'off';

/** A state at a glance. The words beside it say the same: colour alone tells nobody anything. */
export function Dot(props: { tone: Tone; beats?: boolean }): JSX.Element {
  return <i class="dot" classList={{ [props.tone]: true, beats: props.beats === true }} aria-hidden="true" />;
}

export function Chip(props: {
  children: JSX.Element;
  mono?: boolean;
  warn?: boolean;
  title?: string;
}): JSX.Element {
  return (
    <span
      class="chip"
      classList={{ mono: props.mono === true, warn: props.warn === true }}
      title={props.title}
    >
      {props.children}
    </span>
  );
}

/** How long a copy button says that it has copied. */
const COPIED_MS = 1_600;

/** `bare`: the drawing alone is seen. */
export function CopyButton(props: {
  text: string;
  label: string;
  quiet?: boolean;
  bare?: boolean;
}): JSX.Element {
  const [said, setSaid] = createSignal<string | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async (): Promise<void> => {
    setSaid((await copyText(props.text)) ? 'Copied' : 'Not allowed');
    clearTimeout(timer);
    timer = setTimeout(() => setSaid(null), COPIED_MS);
  };
  return (
    <button
      type="button"
      class="button"
      classList={{ quiet: props.quiet === true, bare: props.bare === true }}
      title={props.bare ? props.label : undefined}
      onClick={() => void copy()}
    >
      <Icon name={said() === null ? 'copy' : 'check'} size={15} />
      <span aria-live="polite" classList={{ 'visually-hidden': props.bare === true && said() === null }}>
        {said() ?? props.label}
      </span>
    </button>
  );
}

/** A part of the width that is used. `value` is 0 to 1. */
export function Bar(props: { value: number; label: string; tone?: Tone }): JSX.Element {
  const percent = (): number => Math.round(Math.min(1, Math.max(0, props.value)) * 100);
  return (
    <div
      class="bar"
      classList={{ [props.tone ?? 'busy']: true }}
      role="img"
      aria-label={`${props.label}: ${percent()} %`}
    >
      <i style={{ width: `${percent()}%` }} />
    </div>
  );
}

/** Nothing is here yet, and what to do about it. */
export function Empty(props: { title: string; children?: JSX.Element }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{props.title}</p>
      <Show when={props.children}>
        <div class="empty-text">{props.children}</div>
      </Show>
    </div>
  );
}

/** For what scrolls by itself: it can be reached and moved by keyboard, and says what it is. */
export function scrollable(label: string, role: 'group' | 'log' = 'group') {
  return { tabIndex: 0, role, 'aria-label': label } as const;
}
