import { createMemo, type JSX } from 'solid-js';
import { textOf } from '../../live/messages.ts';
import { useChat } from './chat-context.ts';

/** Longer answers are read in the log itself. */
const SPOKEN_CHARACTERS = 400;

/** Says once what is new, for those who do not see it: the finished answer, or that something waits. */
export function Announcer(): JSX.Element {
  const { conversation } = useChat();
  const words = createMemo(() => {
    const request = conversation.hil();
    if (request !== null) return `Approval needed: ${request.commands.join('; ') || request.toolName}`;
    const last = conversation.rows().at(-1);
    if (last === undefined || last.role === 'user' || last.role === 'toolResult') return '';
    return textOf(last).slice(0, SPOKEN_CHARACTERS);
  });
  return (
    <p class="visually-hidden" aria-live="polite">
      {words()}
    </p>
  );
}
