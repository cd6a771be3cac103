import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { syncWords } from '../../live/status.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Dot } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { JoinHint } from '../devices/join-hint.tsx';

/** How this browser stands with its server, in full. */
export function LinkDialog(): JSX.Element {
  const page = usePage();
  const words = () => syncWords(page.status(), page.now());
  const [trying, setTrying] = createSignal(false);
  const again = async (): Promise<void> => {
    setTrying(true);
    await page.notices.attempt('The server could not be asked', () => page.gsv.call('sys.reconnect', {}));
    setTrying(false);
  };
  return (
    <Dialog title="Server" onClose={() => page.show('none')}>
      <div class="link-state" role="status">
        <Dot tone={words().tone} beats={words().tone === 'busy'} />
        <div>
          <p class="link-words">{words().text}</p>
          <p class="hint">{words().detail}</p>
        </div>
      </div>
      <dl class="facts wide-facts">
        <Fact name="address" value={location.host} />
        <Show when={page.status()?.linkSince}>
          {(since) => <Fact name="since" value={fullTime(since())} />}
        </Show>
        <Fact name="changes waiting" value={String(page.status()?.waiting ?? 0)} />
      </dl>
      <Show when={page.status()?.link === 'alone'}>
        <div class="link-hint">
          <JoinHint />
        </div>
      </Show>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => page.show('none')}>
          Close
        </button>
        <Show when={words().again}>
          <button type="button" class="button primary" disabled={trying()} onClick={() => void again()}>
            {trying() ? 'Trying…' : 'Try again'}
          </button>
        </Show>
      </div>
    </Dialog>
  );
}
