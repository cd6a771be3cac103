import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { deviceState } from '../../live/devices.ts';
import { readChoice } from '../../live/model-choice.ts';
import { createAsked } from '../../parts/asked.ts';
import { Link } from '../../parts/link.tsx';
import { useChat } from './chat-context.ts';

const beginnings = [
  'What can you do on my machines?',
  'Look around my home folder and tell me what is there.',
  'Write a note to yourself about how I like answers.',
];

/** An empty conversation: what to begin with, and what is still missing. */
export function Welcome(): JSX.Element {
  const page = usePage();
  const { setDraft } = useChat();
  const online = (): number => page.devices.filter((row) => deviceState(row) === 'online').length;
  const choice = createAsked(() => readChoice(page));
  return (
    <div class="welcome">
      <p class="welcome-title">What shall be done?</p>
      <Show when={choice.latest()?.model === ''}>
        <p class="hint">
          No model is chosen yet, so nobody would answer.{' '}
          <Link href="/settings/model">Choose a provider</Link> or{' '}
          <Link href="/settings/models">run a model on this device</Link>.
        </p>
      </Show>
      <p class="hint">
        <Show
          when={online() > 0}
          fallback={
            <>
              No device is connected, so GSV works in its own files only.{' '}
              <Link href="/devices">Add a device</Link>
            </>
          }
        >
          {online() === 1 ? '1 device is online.' : `${online()} devices are online.`} GSV asks before
          anything risky.
        </Show>
      </p>
      <ul class="plain beginnings">
        <For each={beginnings}>
          {(text) => (
            <li>
              <button
                type="button"
                class="beginning"
                onClick={() => {
                  setDraft(text);
                  document.querySelector<HTMLElement>('.composer textarea')?.focus();
                }}
              >
                {text}
              </button>
            </li>
          )}
        </For>
      </ul>
    </div>
  );
}
