import { createMemo, createSignal, type JSX, onCleanup, Show } from 'solid-js';
import type { ToolCallBlock } from '../../../../shared/kernel/ports/models.ts';
import type { CallRow } from '../../../../shared/state/conversation.ts';
import { type CallOutput, type CallState, callOutput, callState, callWords } from '../../live/calls.ts';
import { type DeviceFailure, deviceFailure } from '../../live/failure-words.ts';
import { Link } from '../../parts/link.tsx';
import { Chip, Dot, type Tone } from '../../parts/small.tsx';
import { duration } from '../../parts/words.ts';
import { CallDetailView, DiffCount, Output, SoFar } from './call-detail.tsx';
import { useChat } from './chat-context.ts';
import { Pictures } from './messages.tsx';

const tones: Record<CallState, Tone> = {
  waiting: 'off',
  asking: 'wait',
  running: 'busy',
  done: 'good',
  denied: 'off',
  failed: 'bad',
  interrupted: 'off',
};
const stateWords: Record<CallState, string> = {
  waiting: 'waits',
  asking: 'asks',
  running: 'running',
  done: 'done',
  denied: 'denied',
  failed: 'failed',
  interrupted: 'interrupted',
};

/** One tool call: what, where, how it stands; its change or output inside. The one that asks is the approval card. */
export function CallCard(props: { call: ToolCallBlock; runId: string | null }): JSX.Element {
  const { conversation, folds } = useChat();
  const result = () => conversation.result(props.call.id);
  const pending = () => conversation.pending(props.call.id);
  const state = createMemo(() =>
    callState(result(), pending(), conversation.run()?.runId === props.runId && props.runId !== null),
  );
  const words = createMemo(() => callWords(props.call.name, props.call.arguments));
  const output = createMemo(() => {
    const given = result();
    return given === undefined ? null : callOutput(given);
  });
  const asking = (): boolean => conversation.hil()?.callId === props.call.id;
  /** The change itself says more than that it was made. */
  const plainSuccess = (): boolean =>
    state() === 'done' && (words().detail.kind === 'edit' || words().detail.kind === 'content');
  /** What a running command has printed, until its outcome is known. */
  const soFar = (): string => (result() === undefined ? conversation.soFar(props.call.id) : '');
  /** A command that failed stays open with what it said. */
  const saysWhy = (): boolean => (output()?.exitCode ?? 0) !== 0 && output()?.text !== '';
  const openByDefault = (): boolean =>
    words().detail.kind === 'edit' || state() === 'failed' || saysWhy() || soFar() !== '';
  const fold = (open: boolean): void => {
    if (open === openByDefault()) folds.delete(props.call.id);
    else folds.set(props.call.id, open);
  };
  return (
    <Show when={!asking()}>
      <details
        class="card call"
        classList={{ failed: state() === 'failed' }}
        open={folds.get(props.call.id) ?? openByDefault()}
        onToggle={(event) => fold(event.currentTarget.open)}
      >
        <summary class="card-head">
          <Dot
            tone={state() === 'done' && (output()?.exitCode ?? 0) !== 0 ? 'wait' : tones[state()]}
            beats={state() === 'running'}
          />
          <span class="visually-hidden">{stateWords[state()]}: </span>
          <span class="call-words" title={`${words().verb} ${words().subject}`.trim()} dir="ltr">
            <Show when={words().verb}>
              <b>{words().verb}</b>{' '}
            </Show>
            {words().subject}
          </span>
          <DiffCount detail={words().detail} />
          <Show when={output()?.exitCode}>
            {(code) => (
              <Chip mono warn>
                exit {code()}
              </Chip>
            )}
          </Show>
          <Show when={output()?.running}>
            <Chip>goes on</Chip>
          </Show>
          <Chip mono>{words().target}</Chip>
          <CallTime
            state={state()}
            durationMs={result()?.durationMs ?? elapsed(pending())}
            startedAt={pending()?.startedAt ?? null}
          />
        </summary>
        <CallDetailView detail={words().detail} />
        <Show when={soFar()}>{(text) => <SoFar text={text()} />}</Show>
        <Show when={plainSuccess() || state() === 'denied' ? null : output()} keyed>
          {(given) => <Given output={given} failed={state() === 'failed'} />}
        </Show>
        <Show when={state() === 'denied'}>
          <p class="call-empty">You denied it, and nothing was done.</p>
        </Show>
        <Show when={result()}>{(given) => <Pictures row={given()} />}</Show>
        <Show when={output() === null && soFar() === '' && words().detail.kind === 'none'}>
          <p class="call-empty">
            {state() === 'interrupted' ? 'It was interrupted; what it did is not known.' : 'No output yet.'}
          </p>
        </Show>
      </details>
    </Show>
  );
}

/** Its output; of a device that did not answer, what to do about it. */
function Given(props: { output: CallOutput; failed: boolean }): JSX.Element {
  const unanswered = (): DeviceFailure | null => (props.failed ? deviceFailure(props.output.text) : null);
  return (
    <Show when={unanswered()} fallback={<Output output={props.output} failed={props.failed} />}>
      {(failure) => (
        <p class="call-empty" title={props.output.text}>
          {failure().text} <Link href="/devices">{failure().see}</Link>
        </p>
      )}
    </Show>
  );
}

function elapsed(call: CallRow | undefined): number | undefined {
  if (call === undefined || call.startedAt === null || call.finishedAt === null) return undefined;
  return call.finishedAt - call.startedAt;
}

/** A running call counts its seconds; a finished one says how long it took. */
function CallTime(props: {
  state: CallState;
  durationMs: number | undefined;
  startedAt: number | null;
}): JSX.Element {
  return (
    <Show
      when={props.state === 'running' && props.startedAt !== null}
      fallback={
        <span class="call-time">
          {props.durationMs === undefined ? stateWords[props.state] : duration(props.durationMs)}
        </span>
      }
    >
      <RunningTime since={props.startedAt ?? Date.now()} />
    </Show>
  );
}

function RunningTime(props: { since: number }): JSX.Element {
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1_000);
  onCleanup(() => clearInterval(timer));
  return <span class="call-time">{Math.max(0, Math.floor((now() - props.since) / 1_000))} s</span>;
}
