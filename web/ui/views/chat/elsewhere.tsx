import { createSignal, type JSX, Show } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { usePage } from '../../context.ts';
import { elsewhereWords } from '../../live/elsewhere.ts';
import { showHidden } from '../../parts/machine-text.ts';
import { failureOf } from '../../parts/notices.ts';
import { Dot } from '../../parts/small.tsx';
import { sentences } from '../../parts/words.ts';
import { useChat } from './chat-context.ts';

/** Says that the browser which drives this run is gone, and offers to go on here. */
export function ElsewhereNotice(): JSX.Element {
  const page = usePage();
  const { about, owner } = useChat();
  const [busy, setBusy] = createSignal(false);
  const words = (): string | null => {
    const away = owner();
    return away === null ? null : elsewhereWords(away);
  };
  /** Resolves to why it did not work; null when it did. */
  const takeOver = async (force: boolean): Promise<string | null> => {
    setBusy(true);
    try {
      const args = { ...about(), ...(force ? { force } : {}) };
      return failureOf(await page.gsv.call('proc.takeover', args));
    } catch (thrown) {
      return messageOf(thrown);
    } finally {
      setBusy(false);
    }
  };
  const goOn = async (): Promise<void> => {
    const name = showHidden(owner()?.name ?? 'The other browser');
    const refused = await takeOver(false);
    if (refused === null) return;
    const sure = await page.notices.confirm({
      title: 'Go on here all the same?',
      text: `${sentences(refused)} If ${name} still works on it, it is cut off there; what a command was doing at that moment may stay half done.`,
      action: 'Go on here all the same',
      danger: true,
    });
    const failed = sure ? await takeOver(true) : null;
    if (failed !== null) page.notices.bad(`It does not go on here: ${failed}`);
  };
  return (
    <div role="status">
      <Show when={words()}>
        {(text) => (
          <div class="elsewhere">
            <Dot tone="wait" />
            <p>{showHidden(text())}</p>
            <button type="button" class="button" disabled={busy()} onClick={() => void goOn()}>
              Go on here
            </button>
          </div>
        )}
      </Show>
    </div>
  );
}
