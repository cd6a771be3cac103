import { createMemo, type JSX } from 'solid-js';
import { useChat } from './chat-context.ts';

/** Says that something new is there, for those who do not see it; what it is stands in the log. */
export function Announcer(): JSX.Element {
  const { conversation } = useChat();
  const words = createMemo(() => {
    if (conversation.hil() !== null) return 'GSV asks for your approval.';
    if (conversation.run() !== null) return 'GSV is working.';
    const last = conversation.rows().at(-1);
    if (last?.role === 'assistant') return 'GSV has answered.';
    return last?.note === 'error' ? 'The run has stopped with an error.' : '';
  });
  return (
    <p class="visually-hidden" aria-live="polite">
      {words()}
    </p>
  );
}
