import { createSignal, type JSX, Show } from 'solid-js';
import { Dialog } from '../../parts/dialog.tsx';
import { ArchiveDialog, type ArchivedPlace } from '../chat/archive.ts';
import { ConversationSearch } from '../chat/conversation-search.tsx';

/** What was said in any conversation, looked for from anywhere. */
export function SearchDialog(props: { query: string; onClose(): void }): JSX.Element {
  const [read, setRead] = createSignal<ArchivedPlace | null>(null);
  return (
    <Show
      when={read()}
      fallback={
        <Dialog title="Search messages" onClose={props.onClose}>
          <ConversationSearch query={props.query} onGo={props.onClose} onRead={setRead} />
        </Dialog>
      }
    >
      {(place) => <ArchiveDialog {...place()} onClose={props.onClose} />}
    </Show>
  );
}
