import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';

/** Quiet rows that offer something and can wait. They take room of their own and cover nothing. */
export function Offers(): JSX.Element {
  const page = usePage();
  return (
    <div class="offers" role="status">
      <Show when={page.updateReady()}>
        <div class="offer">
          <span>A new version is ready.</span>
          <button type="button" class="button" onClick={() => page.shell.update()}>
            Update
          </button>
        </div>
      </Show>
    </div>
  );
}
