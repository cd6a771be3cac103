import { createSignal, type JSX, Show, Suspense } from 'solid-js';
import type { MessageRow } from '../../../../shared/state/conversation.ts';
import { textOf } from '../../live/messages.ts';
import { summaryParts } from '../../live/summary-parts.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { ArchiveDialog } from './archive.ts';
import { useChat } from './chat-context.ts';

/** What stands for archived messages, with a way to read them. */
export function SummaryNote(props: { row: MessageRow }): JSX.Element {
  const { about } = useChat();
  const [read, setRead] = createSignal(false);
  const parts = () => summaryParts(textOf(props.row));
  return (
    <article class="note summary" aria-label="Summary">
      <div class="summary-head">
        <p>
          <strong>What came before, in short. </strong>
          <Show when={parts().count}>{(count) => <>{count()} messages are in the archive.</>}</Show>
        </p>
        <Show when={parts().count > 0}>
          <button type="button" class="button" onClick={() => setRead(true)}>
            Read them
          </button>
        </Show>
      </div>
      <Markdown source={parts().summary} />
      <Show when={read()}>
        <Suspense>
          <ArchiveDialog
            about={about()}
            found={{ segmentId: parts().segmentId, messageId: null }}
            onClose={() => setRead(false)}
          />
        </Suspense>
      </Show>
    </article>
  );
}
