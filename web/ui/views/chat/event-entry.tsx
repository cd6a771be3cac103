import { type JSX, Show } from 'solid-js';
import type { MessageRow } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { type EventWords, eventWords } from '../../live/event-words.ts';
import { textOf } from '../../live/messages.ts';
import { Icon } from '../../parts/icon.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { clockTime, fullTime } from '../../parts/words.ts';

/** Something that happened, told to the process: one quiet line, which opens when there is more to read. */
export function EventEntry(props: { row: MessageRow }): JSX.Element {
  const page = usePage();
  const words = (): EventWords => eventWords(textOf(props.row));
  const line = (): JSX.Element => (
    <>
      <span class="event-text">{tameProse(words().line)}</span>
      <time title={fullTime(props.row.timestamp)}>{clockTime(props.row.timestamp, page.now())}</time>
    </>
  );
  return (
    <Show when={words().rest !== ''} fallback={<p class="event-entry">{line()}</p>}>
      <details class="event-entry">
        <summary>
          <Icon name="chevron" size={14} />
          {line()}
        </summary>
        <div class="event-rest" dir="auto">
          {tameProse(words().rest)}
        </div>
      </details>
    </Show>
  );
}
