import { createMemo, createSignal, For, type JSX, onCleanup, Show } from 'solid-js';
import type { Usage } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { type CallState, callState, callWords } from '../../live/calls.ts';
import { deviceState } from '../../live/devices.ts';
import { isFree, runCost } from '../../live/items.ts';
import { callsOf } from '../../live/messages.ts';
import { runCostWords } from '../../live/usage-words.ts';
import { Fact } from '../../parts/fact.tsx';
import { Icon } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { Bar, Dot, type Tone } from '../../parts/small.tsx';
import { duration, stopwatch, tokens } from '../../parts/words.ts';
import { useChat } from './chat-context.ts';
import { isWide } from './inspector-state.ts';

/** The run beside the conversation: time, tokens, cost; its steps; what fills the model's window; devices. */
export function Inspector(props: { onClose(): void }): JSX.Element {
  let panel: HTMLElement | undefined;
  /** Over the conversation it closes from wherever the focus is; beside it, from within. */
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || document.querySelector('dialog[open]') !== null) return;
    const within = event.target instanceof Node && panel?.contains(event.target);
    if (within || !isWide()) props.onClose();
  };
  window.addEventListener('keydown', onKey);
  onCleanup(() => window.removeEventListener('keydown', onKey));
  return (
    <aside ref={panel} class="inspector" aria-label="Details of the run">
      <button
        type="button"
        class="icon-button inspector-close"
        aria-label="Close the details"
        onClick={() => props.onClose()}
      >
        <Icon name="close" />
      </button>
      <RunSection />
      <Steps />
      <ContextSection />
      <Devices />
    </aside>
  );
}

type RunFacts = {
  usage: Usage;
  turns: number;
  model: string | null;
  elapsedMs: number | null;
  free: boolean;
};

const elapsed = (ms: number | null): string => (ms === null ? 'not known' : stopwatch(ms));

/** The run that goes on, else the one before it: from its own row, or summed up from its messages. */
function createRunFacts(): () => RunFacts | null {
  const { conversation } = useChat();
  const [now, setNow] = createSignal(Date.now());
  const timer = setInterval(() => setNow(Date.now()), 1_000);
  onCleanup(() => clearInterval(timer));
  const model = createMemo(
    () => conversation.rows().findLast((row) => row.model !== undefined)?.model ?? null,
  );
  const answersOf = (runId: string) =>
    conversation.rows().filter((row) => row.runId === runId && row.role === 'assistant');
  const ended = createMemo((): RunFacts | null => {
    const last = conversation.last();
    if (last !== null)
      return {
        usage: last.usage,
        turns: last.turns,
        model: model(),
        elapsedMs: last.finishedAt - last.startedAt,
        free: isFree(answersOf(last.runId)),
      };
    const runId = conversation.rows().findLast((row) => row.role === 'assistant')?.runId ?? null;
    if (runId === null) return null;
    const run = conversation.rows().filter((row) => row.runId === runId);
    const cost = runCost(runId, run);
    if (cost === null) return null;
    const { usage, durationMs, free } = cost;
    return { usage, turns: answersOf(runId).length, model: cost.model, elapsedMs: durationMs, free };
  });
  return () => {
    const run = conversation.run();
    if (run === null) return ended();
    return {
      usage: run.usage,
      turns: run.turns,
      model: run.model || model(),
      elapsedMs: Math.max(0, now() - run.startedAt),
      free: isFree([run]),
    };
  };
}

function RunSection(): JSX.Element {
  const { conversation, owner } = useChat();
  const facts = createRunFacts();
  const title = (): string =>
    conversation.run() === null ? 'Last run' : `Run in ${showHidden(owner()?.name ?? 'this browser')}`;
  return (
    <section>
      <h2>{title()}</h2>
      <Show when={facts()} fallback={<p class="hint">Nothing has run yet.</p>}>
        {(known) => (
          <dl class="facts">
            <Fact name="elapsed" value={elapsed(known().elapsedMs)} />
            <Fact
              name="tokens in / out"
              value={`${tokens(tokensRead(known().usage))} / ${tokens(known().usage.output)}`}
            />
            <Fact name="cost" value={runCostWords(known().usage.cost, known().free)} />
            <Fact name="model calls" value={String(known().turns)} />
            <Fact name="model" value={known().model ?? 'not known'} />
          </dl>
        )}
      </Show>
    </section>
  );
}

function tokensRead(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

const stepTones: Record<CallState, Tone> = {
  waiting: 'off',
  asking: 'wait',
  running: 'busy',
  done: 'good',
  denied: 'off',
  failed: 'bad',
  interrupted: 'off',
};
/** The last ones; a run of hundreds of steps is read in the log. */
const SHOWN_STEPS = 12;

/** As the log calls it. */
function wordsOf({ name, arguments: args }: ReturnType<typeof callsOf>[number]): string {
  const { verb, subject } = callWords(name, args);
  return `${verb} ${subject}`.trim();
}

function Steps(): JSX.Element {
  const { conversation } = useChat();
  const steps = createMemo(() => {
    const active = conversation.run()?.runId ?? null;
    const runId = active ?? conversation.rows().findLast((row) => row.runId !== null)?.runId ?? null;
    const calls = conversation
      .rows()
      .filter((row) => row.runId === runId && row.role === 'assistant')
      .flatMap(callsOf);
    return calls.slice(-SHOWN_STEPS).map((call) => {
      const result = conversation.result(call.id);
      const pending = conversation.pending(call.id);
      const asks = conversation.hil()?.callId === call.id;
      const state = asks ? 'asking' : callState(result, pending, active !== null);
      return {
        words: wordsOf(call),
        state,
        durationMs: result?.durationMs,
      };
    });
  });
  return (
    <section>
      <h2>Steps</h2>
      <Show when={steps().length > 0} fallback={<p class="hint">No step so far.</p>}>
        <ol class="plain steps">
          <For each={steps()}>
            {(step) => (
              <li>
                <Dot tone={stepTones[step.state]} beats={step.state === 'running'} />
                <span title={step.words} dir="ltr">
                  {step.words}
                </span>
                <small>
                  {step.state === 'asking'
                    ? 'asks'
                    : step.durationMs === undefined
                      ? step.state
                      : duration(step.durationMs)}
                </small>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </section>
  );
}

const levelWords = { ok: '', warn: 'It is filling up.', critical: 'It is nearly full.', full: 'It is full.' };

function ContextSection(): JSX.Element {
  const { conversation } = useChat();
  return (
    <section>
      <h2>Context</h2>
      <Show when={conversation.context()} fallback={<p class="hint">Measured with the first run.</p>}>
        {(context) => (
          <>
            <dl class="facts">
              <For each={['system', 'home', 'skills', 'tools', 'history'] as const}>
                {(part) => <Fact name={part} value={tokens(context().parts[part])} />}
              </For>
            </dl>
            <Bar
              value={context().window === 0 ? 0 : context().tokens / context().window}
              label="Used of the model’s window"
              tone={context().level === 'ok' ? 'busy' : context().level === 'warn' ? 'wait' : 'bad'}
            />
            <p class="hint">
              {tokens(context().tokens)} of {tokens(context().window)}. {levelWords[context().level]}
            </p>
          </>
        )}
      </Show>
    </section>
  );
}

function Devices(): JSX.Element {
  const page = usePage();
  return (
    <section>
      <h2>Devices</h2>
      <Show when={page.devices.length > 0} fallback={<p class="hint">None is connected.</p>}>
        <ul class="plain steps">
          <For each={page.devices}>
            {(row) => (
              <li>
                <Dot
                  tone={
                    deviceState(row) === 'online' ? 'good' : deviceState(row) === 'revoked' ? 'bad' : 'off'
                  }
                />
                <span>{row.deviceId}</span>
                <small>{deviceState(row)}</small>
              </li>
            )}
          </For>
        </ul>
      </Show>
    </section>
  );
}
