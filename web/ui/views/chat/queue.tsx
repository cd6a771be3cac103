import { createSignal, For, type JSX, Show } from 'solid-js';
import type { QueueRow } from '../../../../shared/state/conversation.ts';
import type { InputMode } from '../../../../shared/syscalls/proc.ts';
import { usePage } from '../../context.ts';
import { eventWords } from '../../live/event-words.ts';
import { Form } from '../../parts/form.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { useChat } from './chat-context.ts';
import { InputModeChoice } from './input-mode.tsx';

/** Messages that wait to be read. Until then they are edited, ordered and taken back. */
export function Queue(): JSX.Element {
  const { conversation } = useChat();
  const ids = (): string[] => conversation.queue().map(({ messageId }) => messageId);
  return (
    <ul class="plain queue" aria-label="Queued">
      <For each={ids()}>{(messageId, place) => <Queued messageId={messageId} place={place()} />}</For>
    </ul>
  );
}

function Queued(props: { messageId: string; place: number }): JSX.Element {
  const { gsv, notices } = usePage();
  const { about, conversation } = useChat();
  const [editing, setEditing] = createSignal(false);
  const row = (): QueueRow | undefined =>
    conversation.queue().find(({ messageId }) => messageId === props.messageId);
  const isEvent = (): boolean => row()?.origin === 'event';
  const named = () => ({ ...about(), messageId: props.messageId });
  const gone = (done: boolean | undefined): void => {
    if (done === false) notices.bad('It is on its way already.');
  };
  const takeBack = async (): Promise<void> => {
    const answer = await notices.attempt('The message could not be taken back', () =>
      gsv.call('proc.queue.remove', named()),
    );
    gone(answer?.removed);
  };
  const move = async (by: -1 | 1): Promise<void> => {
    const queue = conversation.queue();
    const before = queue[props.place + (by === 1 ? 2 : -1)]?.messageId ?? null;
    const answer = await notices.attempt('The message was not moved', () =>
      gsv.call('proc.queue.move', { ...named(), before }),
    );
    gone(answer?.moved);
  };
  const save = async (message: string): Promise<void> => {
    setEditing(false);
    if (message === '' || message === row()?.text) return;
    const answer = await notices.attempt('The message was not changed', () =>
      gsv.call('proc.queue.update', { ...named(), message }),
    );
    gone(answer?.updated);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    const by = event.key === 'ArrowUp' ? -1 : 1;
    if (conversation.queue()[props.place + by]) void move(by);
  };
  const change = async (mode: InputMode): Promise<void> => {
    const answer = await notices.attempt('The message was not changed', () =>
      gsv.call('proc.queue.update', { ...named(), mode }),
    );
    gone(answer?.updated);
  };
  return (
    <li onKeyDown={onKeyDown}>
      <Show
        when={editing()}
        fallback={
          <span class="queue-text" dir="auto">
            {tameProse(isEvent() ? eventWords(row()?.text ?? '').line : queuedWords(row()))}
          </span>
        }
      >
        <QueuedText text={row()?.text ?? ''} onSave={save} onGiveUp={() => setEditing(false)} />
      </Show>
      <Show when={!editing()}>
        <InputModeChoice
          label="When this one is read"
          mode={row()?.mode ?? 'steer'}
          onChoose={(mode) => void change(mode)}
        />
        <Show when={!isEvent()}>
          <button
            type="button"
            class="text-button"
            title="Alt and arrow keys move it"
            onClick={() => setEditing(true)}
          >
            Edit
          </button>
        </Show>
        <Show when={props.place > 0}>
          <button type="button" class="text-button" aria-label="Move up" onClick={() => void move(-1)}>
            Up
          </button>
        </Show>
        <button type="button" class="text-button" onClick={() => void takeBack()}>
          Remove
        </button>
      </Show>
    </li>
  );
}

function QueuedText(props: { text: string; onSave(text: string): void; onGiveUp(): void }): JSX.Element {
  const [text, setText] = createSignal(props.text);
  return (
    <Form
      class="queue-edit"
      onSubmit={() => props.onSave(text().trim())}
      onKeyDown={(event) => {
        if (event.key === 'Escape') props.onGiveUp();
      }}
    >
      <textarea
        ref={(element) => queueMicrotask(() => element.focus())}
        class="input"
        rows={Math.min(6, props.text.split('\n').length + 1)}
        aria-label="Queued message"
        value={text()}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          props.onSave(text().trim());
        }}
      />
      <button type="submit" class="button">
        Save
      </button>
    </Form>
  );
}

function queuedWords(row: QueueRow | undefined): string {
  const { text = '', media = [] } = row ?? {};
  const files = media.length === 0 ? '' : `[${media.map(({ name }) => name).join(', ')}]`;
  return [text, files].filter((part) => part !== '').join(' ');
}
