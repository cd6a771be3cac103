import { createEffect, createSignal, type JSX, on, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { refOf } from '../../live/attachments.ts';
import { Form } from '../../parts/form.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { read, write } from '../../parts/memory.ts';
import { Dot } from '../../parts/small.tsx';
import { AttachButtons, Chips } from './attach.tsx';
import { draftName, useChat } from './chat-context.ts';
import { pastedFiles } from './drop-target.ts';
import { createInputMode, InputModeChoice } from './input-mode.tsx';

/** A message box that grows to this height and scrolls then. */
const TALLEST_PX = 240;

export function Composer(): JSX.Element {
  const { gsv, notices, toCompose, compose } = usePage();
  const { place, about, running, draft, setDraft, attachments, countSent } = useChat();
  const input = createInputMode();
  const [sending, setSending] = createSignal(false);
  let box: HTMLTextAreaElement | undefined;

  createEffect(on(place, (chosen) => setDraft(read(draftName(chosen)))));
  createEffect(
    on([draft, place], ([text, chosen], before) => {
      if (before === undefined || before[1] === chosen) write(draftName(chosen), text);
      if (box === undefined) return;
      box.style.height = 'auto';
      box.style.height = `${Math.min(box.scrollHeight, TALLEST_PX)}px`;
    }),
  );

  // Not only a change: it may have come before this box.
  createEffect(
    on(toCompose, (text) => {
      if (text === null) return;
      setDraft([draft().trimEnd(), text].filter((part) => part !== '').join('\n\n'));
      compose(null);
      box?.focus();
    }),
  );

  const empty = (): boolean => draft().trim() === '' && attachments().list.length === 0;
  const send = async (): Promise<void> => {
    const message = draft().trim();
    if (empty() || sending() || !attachments().ready()) return;
    setSending(true);
    setDraft('');
    const media = attachments().take();
    countSent();
    const answer = await notices.attempt('The message was not sent', () =>
      gsv.call('proc.send', {
        ...about(),
        message,
        ...(running() ? { mode: input.mode() } : {}),
        ...(media.length > 0 ? { media: media.map(refOf) } : {}),
      }),
    );
    if (answer === null) {
      setDraft(draft() === '' ? message : `${message}\n\n${draft()}`);
      attachments().restore(media);
    }
    setSending(false);
  };
  const stop = () => notices.attempt('The run could not be stopped', () => gsv.call('proc.abort', about()));
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Enter belongs to it (229 where `isComposing` is false already).
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    void send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = pastedFiles(event);
    if (files.length === 0) return;
    event.preventDefault();
    attachments().add(files);
  };
  return (
    <Form class="composer" onSubmit={() => void send()}>
      <Chips />
      <textarea
        ref={box}
        rows={1}
        aria-label="Message"
        placeholder="Message"
        dir="auto"
        enterkeyhint="send"
        value={draft()}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <div class="composer-foot" classList={{ running: running() }}>
        <AttachButtons />
        <div class="composer-now">
          <Working />
          <Show when={running()}>
            <InputModeChoice mode={input.mode()} onChoose={(mode) => void input.choose(mode)} />
          </Show>
        </div>
        <div class="composer-acts">
          <Show when={running()}>
            <button type="button" class="button" onClick={() => void stop()}>
              Stop
            </button>
          </Show>
          <button type="submit" class="button primary" disabled={empty() || !attachments().ready()}>
            Send
          </button>
        </div>
      </div>
    </Form>
  );
}

/** What the process does at the moment, where it does not move what is being read. */
function Working(): JSX.Element {
  const { running, process, owner, conversation } = useChat();
  const waiting = (): boolean => process()?.state === 'waiting';
  const writes = (): boolean => conversation.live().at(-1)?.kind === 'text';
  const doing = (): string =>
    waiting() ? 'waits for your answer' : writes() ? 'writing' : (process()?.activity ?? 'working');
  const words = (): string => {
    const away = owner();
    return away?.presence === 'there' ? `Running on ${showHidden(away.name)} · ${doing()}` : doing();
  };
  const stalled = (): boolean => owner()?.presence === 'lost';
  return (
    <p class="working">
      <Show
        when={running()}
        fallback={<span class="wide-only">Enter sends, Shift Enter begins a new line</span>}
      >
        <Dot tone={stalled() ? 'off' : waiting() ? 'wait' : 'busy'} beats={!waiting() && !stalled()} />
        <span class="working-text" title={words()}>
          {words()}
        </span>
      </Show>
    </p>
  );
}
