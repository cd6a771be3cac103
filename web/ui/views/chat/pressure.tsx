import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { Dot } from '../../parts/small.tsx';
import { useChat } from './chat-context.ts';
import { compactConversation, KEEP_LAST } from './compact.ts';

const words = {
  warn: 'This conversation fills most of what the model can read.',
  critical: 'This conversation almost fills what the model can read.',
  full: 'This conversation no longer fits: the model does not see its beginning.',
} as const;

/** Says that the model's window fills up, and what can be done. */
export function Pressure(): JSX.Element {
  const page = usePage();
  const { about, conversation } = useChat();
  const [busy, setBusy] = createSignal(false);
  const level = () => {
    const now = conversation.context()?.level ?? 'ok';
    return now === 'ok' ? null : now;
  };
  const count = (): number => conversation.olderCount() + conversation.rows().length;
  const percent = (): number => Math.round((conversation.context()?.pressure ?? 0) * 100);
  const compact = async (): Promise<void> => {
    setBusy(true);
    await compactConversation(page, about(), { keepLast: Math.min(KEEP_LAST, Math.floor(count() / 2)) });
    setBusy(false);
  };
  return (
    <div role="status">
      <Show when={level()}>
        {(now) => (
          <div class="elsewhere">
            <Dot tone={now() === 'warn' ? 'wait' : 'bad'} />
            <p>
              {words[now()]} {percent()} %
            </p>
            <button type="button" class="button" disabled={busy()} onClick={() => void compact()}>
              {busy() ? 'Summarising…' : 'Compact'}
            </button>
          </div>
        )}
      </Show>
    </div>
  );
}
