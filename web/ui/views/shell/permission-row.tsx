import { createSignal, type JSX, Match, Switch } from 'solid-js';
import { createPermission } from '../../live/system-notices.ts';
import { read, write } from '../../parts/memory.ts';

const REFUSED = 'notices.later';

/** Offers, where it makes sense and without a word at any other place, that news are shown outside of the page. */
export function PermissionRow(): JSX.Element {
  const { permission, ask } = createPermission();
  const [later, setLater] = createSignal(read(REFUSED) !== '');
  const refuse = (): void => {
    write(REFUSED, 'yes');
    setLater(true);
  };
  return (
    <Switch>
      <Match when={permission() === 'default' && !later()}>
        <div class="permission-row">
          <p>Show these on your screen while this page is in the background?</p>
          <div class="permission-actions">
            <button type="button" class="button" onClick={() => void ask()}>
              Allow
            </button>
            <button type="button" class="button quiet" onClick={refuse}>
              Not now
            </button>
          </div>
        </div>
      </Match>
      <Match when={permission() === 'default'}>
        <div class="permission-row">
          <button type="button" class="text-button" onClick={() => void ask()}>
            Show these on your screen too
          </button>
        </div>
      </Match>
      <Match when={permission() === 'denied'}>
        <p class="permission-row hint">
          This browser does not let the page show them on your screen. You can change that in the browser’s
          settings of this site.
        </p>
      </Match>
      <Match when={permission() === 'granted'}>
        <p class="permission-row hint">They are shown on your screen while this page is in the background.</p>
      </Match>
    </Switch>
  );
}
