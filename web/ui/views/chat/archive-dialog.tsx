import { createSignal, For, type JSX, Show } from 'solid-js';
import type { ConversationSegment } from '../../../../shared/syscalls/conversation.ts';
import { usePage } from '../../context.ts';
import type { About } from '../../live/conversation.ts';
import { createAsked } from '../../parts/asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import type { ArchivedPlace } from './archive.ts';
import { ArchiveReader } from './archive-reader.tsx';

/** What was archived of a conversation: read, or taken up again in a conversation of its own. */
export function ArchiveDialog(props: ArchivedPlace & { onClose(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [chosen, choose] = createSignal(props.found?.segmentId ?? null);
  const known = createAsked(() =>
    notices.attempt('The archive could not be read', () =>
      gsv.call('proc.conversation.segments', props.about),
    ),
  );
  const segments = (): ConversationSegment[] => (known.latest()?.segments ?? []).toReversed();
  return (
    <Dialog title="Archive of this conversation" shape="wide" onClose={props.onClose}>
      <Show
        when={segments().find(({ id }) => id === chosen())}
        fallback={
          <Show when={!known.asking()}>
            <Segments segments={segments()} about={props.about} onRead={choose} onClose={props.onClose} />
          </Show>
        }
      >
        {(segment) => (
          <ArchiveReader
            segment={segment()}
            about={props.about}
            messageId={props.found?.messageId ?? null}
            onBack={() => choose(null)}
          />
        )}
      </Show>
    </Dialog>
  );
}

type Segments = {
  segments: readonly ConversationSegment[];
  about: About;
  onRead(id: string): void;
  onClose(): void;
};

function Segments(props: Segments): JSX.Element {
  return (
    <Show
      when={props.segments.length > 0}
      fallback={
        <Empty title="Nothing is archived yet.">
          “Compact” and “Archive and start anew” put messages here. They can be read, searched and taken up
          again.
        </Empty>
      }
    >
      <ul class="plain conversation-list" aria-label="Archived parts">
        <For each={props.segments}>{(segment) => <Segment {...props} segment={segment} />}</For>
      </ul>
    </Show>
  );
}

function Segment(props: Segments & { segment: ConversationSegment }): JSX.Element {
  const { gsv, notices, router } = usePage();
  const title = (): string => fullTime(props.segment.createdAt);
  const takeUp = async (): Promise<void> => {
    const forked = await notices.attempt('It was not taken up again', () =>
      gsv.call('proc.conversation.fork', {
        ...props.about,
        segmentId: props.segment.id,
        includeLiveSuffix: false,
        title: `From the archive, ${title()}`,
      }),
    );
    if (forked === null) return;
    props.onClose();
    router.go(chatPath(forked.pid, forked.targetConversation.id));
  };
  return (
    <li>
      <span class="segment-title">{title()}</span>
      <span class="row-note">
        {props.segment.messages} messages ·{' '}
        {props.segment.kind === 'reset' ? 'an earlier conversation' : 'summarised'}
      </span>
      <div class="segment-actions">
        <button
          type="button"
          class="button"
          aria-label={`Read what was archived on ${title()}`}
          onClick={() => props.onRead(props.segment.id)}
        >
          Read
        </button>
        <button
          type="button"
          class="button"
          aria-label={`Take up again what was archived on ${title()}`}
          onClick={() => void takeUp()}
        >
          Take up again
        </button>
      </div>
    </li>
  );
}
