import { createSignal, type JSX, Show } from 'solid-js';
import { askPersistence, type Persistence, persistenceWords, readPersistence } from '../../live/storage.ts';
import { Dot } from '../../parts/small.tsx';

/** Whether the browser has promised to keep what is stored here, and how to ask it. */
export function Keeping(): JSX.Element {
  const [state, setState] = createSignal<Persistence>();
  void readPersistence().then(setState);
  return (
    <>
      <p class="keeping" role="status">
        <Show when={state()}>
          {(known) => (
            <>
              <Dot tone={known() === 'kept' ? 'good' : known() === 'unknown' ? 'off' : 'wait'} />
              <span>{persistenceWords(known())}</span>
            </>
          )}
        </Show>
      </p>
      <Show when={state() !== 'kept' && state() !== undefined}>
        <div class="form-actions start">
          <button type="button" class="button" onClick={() => void askPersistence().then(setState)}>
            Ask the browser to keep it
          </button>
        </div>
      </Show>
    </>
  );
}
