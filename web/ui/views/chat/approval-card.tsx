import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js';
import type { HilRow } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { approvalWords, tagWords } from '../../live/approval-words.ts';
import { isMeant } from '../../live/approving.ts';
import { type CallDetail, callWords } from '../../live/calls.ts';
import { Chip, Dot } from '../../parts/small.tsx';
import { isTyping } from '../shell/shortcuts.ts';
import { CallDetailView } from './call-detail.tsx';
import { useChat } from './chat-context.ts';

type Answer = { decision: 'approve' | 'deny'; remember?: true };

/** The question before something risky: what exactly, where, why it is asked, and the answers. */
export function ApprovalCard(props: { request: HilRow }): JSX.Element {
  const { gsv, notices, approving, approvalAnswered } = usePage();
  const { about, pid } = useChat();
  const [answering, setAnswering] = createSignal(false);
  const words = () => approvalWords(props.request);
  /** A command stands above, whole. */
  const detail = (): CallDetail => {
    const shown = callWords(props.request.toolName, props.request.args).detail;
    return shown.kind === 'command' ? { kind: 'none' } : shown;
  };
  const answer = async (chosen: Answer): Promise<void> => {
    if (answering()) return;
    setAnswering(true);
    const { requestId } = props.request;
    await notices.attempt('The answer did not arrive', () =>
      gsv.call('proc.hil', { ...about(), requestId, ...chosen }),
    );
    setAnswering(false);
  };
  createEffect(
    on(approving, (approval) => {
      if (approval === null) return;
      void isMeant(approval, pid(), props.request.requestId).then((meant) => {
        if (!meant) return;
        approvalAnswered();
        void answer({ decision: 'approve' });
      });
    }),
  );
  createAnswerKeys((decision) => void answer({ decision }));
  return (
    <section class="card approval" aria-label={words().question}>
      <header class="card-head">
        <Dot tone="wait" />
        <h2>{words().question}</h2>
        <Chip mono>{words().target}</Chip>
      </header>
      <div class="approval-body">
        <div class="approval-lines">
          <For each={words().lines}>{(line) => <code dir="ltr">{line}</code>}</For>
        </div>
        <Show when={words().parts.length > 0}>
          <details class="approval-parts">
            <summary>{words().parts.length} commands in it</summary>
            <ol>
              <For each={words().parts}>
                {(part) => (
                  <li>
                    <code dir="ltr">{part}</code>
                  </li>
                )}
              </For>
            </ol>
          </details>
        </Show>
        <CallDetailView detail={detail()} />
        <Show when={tagWords(props.request.tags).length > 0}>
          <ul class="plain tags" aria-label="Why this is asked">
            <For each={tagWords(props.request.tags)}>
              {(tag) => (
                <li>
                  <Chip warn>{tag}</Chip>
                </li>
              )}
            </For>
          </ul>
        </Show>
        <Answers words={words()} busy={answering()} onAnswer={(chosen) => void answer(chosen)} />
      </div>
    </section>
  );
}

/** An answer that its first letter gives, too. */
function AnswerButton(props: {
  name: 'Approve' | 'Deny';
  primary?: boolean;
  busy: boolean;
  onPress(): void;
}): JSX.Element {
  const key = (): string => props.name.slice(0, 1);
  return (
    <button
      type="button"
      class="button"
      classList={{ primary: props.primary === true }}
      aria-keyshortcuts={key()}
      disabled={props.busy}
      onClick={() => props.onPress()}
    >
      {props.name}
      <span class="key" aria-hidden="true">
        {key()}
      </span>
    </button>
  );
}

function Answers(props: {
  words: ReturnType<typeof approvalWords>;
  busy: boolean;
  onAnswer(answer: Answer): void;
}): JSX.Element {
  return (
    <div class="answers">
      <AnswerButton
        name="Approve"
        primary
        busy={props.busy}
        onPress={() => props.onAnswer({ decision: 'approve' })}
      />
      <AnswerButton name="Deny" busy={props.busy} onPress={() => props.onAnswer({ decision: 'deny' })} />
      <Show when={props.words.remember}>
        {(kept) => (
          <span class="remember">
            <button
              type="button"
              class="button"
              aria-describedby="remember-what"
              disabled={props.busy}
              onClick={() => props.onAnswer({ decision: 'approve', remember: true })}
            >
              Remember
            </button>
            <span id="remember-what" class="hint">
              Approves, and does not ask again for <code dir="ltr">{kept()}</code>{' '}
              {props.words.target === 'gsv' ? 'in GSV itself' : 'on devices'}
            </span>
          </span>
        )}
      </Show>
    </div>
  );
}

/** A and D answer while nothing is being typed and no dialog is open. */
function createAnswerKeys(answer: (decision: 'approve' | 'deny') => void): void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]') !== null) return;
    const key = event.key.toLowerCase();
    if (key === 'a') answer('approve');
    if (key === 'd') answer('deny');
  };
  document.addEventListener('keydown', onKey);
  onCleanup(() => document.removeEventListener('keydown', onKey));
}
