import { createMemo, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import type { CallDetail, CallOutput } from '../../live/calls.ts';
import { type DiffLine, plainDiff } from '../../live/diff-lines.ts';
import { createAsked } from '../../parts/asked.ts';
import { showHidden } from '../../parts/machine-text.ts';
import { CopyButton, scrollable } from '../../parts/small.tsx';
import { lines } from '../../parts/words.ts';

/** More lines than this are folded behind a button. */
const SHOWN_LINES = 60;

/** The part of a call that is worth seeing before its result: a change as a diff, a file's new content, a long command. */
export function CallDetailView(props: { detail: CallDetail }): JSX.Element {
  const of = <Kind extends CallDetail['kind']>(kind: Kind): Extract<CallDetail, { kind: Kind }> | false =>
    props.detail.kind === kind && (props.detail as Extract<CallDetail, { kind: Kind }>);
  return (
    <Switch>
      <Match when={of('edit')}>{(edit) => <Diff before={edit().before} after={edit().after} />}</Match>
      <Match when={of('content')}>{(content) => <Text text={content().text} label="New content" />}</Match>
      <Match when={of('command')}>{(command) => <Text text={command().text} label="Command" />}</Match>
      <Match when={of('arguments')}>{(args) => <Text text={args().text} label="Arguments" />}</Match>
    </Switch>
  );
}

/** The differences of two texts: at once all old then all new lines, exactly as soon as the library is there. */
function createDiff(before: () => string, after: () => string): () => readonly DiffLine[] {
  const exact = createAsked(
    async () => {
      const [old, next] = [before(), after()];
      return (await import('../../live/exact-diff.ts')).exactDiff(old, next);
    },
    () => [before(), after()],
  );
  return createMemo(() => (exact.asking() ? undefined : exact.latest()) ?? plainDiff(before(), after()));
}

function Diff(props: { before: string; after: string }): JSX.Element {
  const shown = createDiff(
    () => props.before,
    () => props.after,
  );
  return (
    <pre class="machine diff" {...scrollable('Change')} dir="ltr">
      <For each={shown()}>
        {(line) => (
          <span classList={{ [line.kind]: true }}>
            {line.kind === 'added' ? '+ ' : line.kind === 'removed' ? '− ' : '  '}
            {line.text}
            {'\n'}
          </span>
        )}
      </For>
    </pre>
  );
}

export function DiffCount(props: { detail: CallDetail }): JSX.Element {
  const edit = () => (props.detail.kind === 'edit' ? props.detail : null);
  const shown = createDiff(
    () => edit()?.before ?? '',
    () => edit()?.after ?? '',
  );
  const count = (kind: DiffLine['kind']): number => shown().filter((line) => line.kind === kind).length;
  return (
    <Show when={edit()}>
      <span class="diff-count">
        +{count('added')} −{count('removed')}
      </span>
    </Show>
  );
}

export function Output(props: { output: CallOutput; failed: boolean }): JSX.Element {
  return (
    <Text
      text={props.output.text === '' ? 'No output.' : props.output.text}
      label={props.failed ? 'Error' : 'Output'}
      copy={props.output.text.includes('\n')}
    />
  );
}

/** Lines of a running command that stay in sight. */
const SO_FAR_LINES = 12;

/** The newest lines of a command that goes on. */
export function SoFar(props: { text: string }): JSX.Element {
  const newest = (): string => props.text.trimEnd().split('\n').slice(-SO_FAR_LINES).join('\n');
  return (
    <div class="machine-frame">
      <pre class="machine" {...scrollable('Output so far')} dir="ltr">
        {showHidden(newest())}
      </pre>
    </div>
  );
}

function Text(props: { text: string; label: string; copy?: boolean }): JSX.Element {
  const [all, setAll] = createSignal(false);
  const split = createMemo(() => props.text.split('\n'));
  const shown = (): string => (all() ? props.text : split().slice(0, SHOWN_LINES).join('\n'));
  const rest = (): number => (all() ? 0 : Math.max(0, split().length - SHOWN_LINES));
  return (
    <div class="machine-frame">
      <pre class="machine" {...scrollable(props.label)} dir="ltr">
        {shown()}
      </pre>
      <Show when={rest() > 0 || props.copy}>
        <div class="machine-foot">
          <Show when={rest() > 0}>
            <button type="button" class="text-button" onClick={() => setAll(true)}>
              Show {lines(rest())} more
            </button>
          </Show>
          <Show when={props.copy}>
            <CopyButton text={props.text} label="Copy" quiet />
          </Show>
        </div>
      </Show>
    </div>
  );
}
