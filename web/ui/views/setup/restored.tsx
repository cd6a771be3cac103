import { For, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { secretWords } from '../../live/storage.ts';
import { focusSoon } from '../../parts/focus.ts';
import { count } from '../../parts/words.ts';

/** What came out of an exported file, and what is still to be done by hand. */
export function RestoredView(props: { result: Result<'sys.import'>; onDone(): void }): JSX.Element {
  return (
    <div class="gate-card">
      <header>
        <p class="brand-mark">GSV</p>
        <h1>Restored</h1>
        <p class="hint" role="status">
          {count(props.result.messages, 'message')} and {count(props.result.files, 'file')} of{' '}
          <strong>{props.result.username}</strong> are here.
        </p>
      </header>
      <Show when={props.result.missing > 0}>
        <p class="hint">
          {count(props.result.missing, 'part')} could not be exported at that time and{' '}
          {props.result.missing === 1 ? 'is' : 'are'} missing.
        </p>
      </Show>
      <Show when={props.result.secrets.length > 0}>
        <div>
          <p class="hint">Secrets were not in the file. Enter these again in the settings:</p>
          <ul class="gate-steps">
            <For each={props.result.secrets}>{(key) => <li>{secretWords(key)}</li>}</For>
          </ul>
        </div>
      </Show>
      <button type="button" class="button primary wide" ref={focusSoon} onClick={() => props.onDone()}>
        Open it
      </button>
    </div>
  );
}
