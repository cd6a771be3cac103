import { createMemo, createSignal, For, type JSX, onMount, Show } from 'solid-js';
import type { MessageRow } from '../../../../shared/state/conversation.ts';
import type { ConversationSegment } from '../../../../shared/syscalls/conversation.ts';
import { usePage } from '../../context.ts';
import type { About } from '../../live/conversation.ts';
import { type Item, itemsOf } from '../../live/items.ts';
import { fromHistory, textOf } from '../../live/messages.ts';
import { showHidden, tameProse } from '../../parts/machine-text.ts';
import { clockTime } from '../../parts/words.ts';
import { Answer, Pictures } from './messages.tsx';

const PAGE = 200;

/** Archived messages, oldest first. Reading brings nothing back. */
export function ArchiveReader(props: {
  segment: ConversationSegment;
  about: About;
  /** The one that was looked for. */
  messageId: number | null;
  onBack(): void;
}): JSX.Element {
  const { gsv, notices } = usePage();
  const [rows, setRows] = createSignal<readonly MessageRow[]>([]);
  const [more, setMore] = createSignal(true);
  const cache = new WeakMap<MessageRow, Item[]>();
  const items = createMemo(() => rows().flatMap((row) => itemsOf(row, cache).map((item) => ({ row, item }))));
  const load = async (): Promise<void> => {
    const { id: segmentId, generation } = props.segment;
    const read = await notices.attempt('The archive could not be read', () =>
      gsv.call('proc.conversation.segment.read', {
        ...props.about,
        segmentId,
        offset: rows().length,
        limit: PAGE,
      }),
    );
    const messages = read?.messages ?? [];
    setRows([...rows(), ...messages.map((message) => fromHistory(message, generation))]);
    setMore(messages.length > 0 && rows().length < (read?.messageCount ?? 0));
  };
  const isFound = (id: number): boolean => id === props.messageId;
  let list: HTMLOListElement | undefined;
  onMount(async () => {
    do await load();
    while (props.messageId !== null && more() && !rows().some(({ id }) => isFound(id)));
    list?.querySelector('.found')?.scrollIntoView({ block: 'center' });
  });
  return (
    <>
      <button type="button" class="button quiet" onClick={() => props.onBack()}>
        <span aria-hidden="true">←</span> All archived parts
      </button>
      <ol ref={list} class="plain archived" aria-label="Archived messages">
        <For each={items()}>
          {({ row, item }) => (
            <li classList={{ found: isFound(row.id) }}>
              <Said item={item} />
            </li>
          )}
        </For>
      </ol>
      <Show when={more() && rows().length > 0}>
        <button type="button" class="button" onClick={() => void load()}>
          Show more
        </button>
      </Show>
    </>
  );
}

function Said(props: { item: Item }): JSX.Element {
  const { now } = usePage();
  const { item } = props;
  switch (item.kind) {
    case 'user':
      return (
        <div class="archived-you">
          <p class="row-note">You, {clockTime(item.row.timestamp, now())}</p>
          <p class="archived-words" dir="auto">
            {tameProse(textOf(item.row))}
          </p>
          <Pictures row={item.row} />
        </div>
      );
    case 'answer':
      return <Answer text={item.text} />;
    case 'call':
      return (
        <p class="row-note">
          {item.call.name} <code dir="ltr">{showHidden(JSON.stringify(item.call.arguments))}</code>
        </p>
      );
    case 'note':
    case 'event':
      return <p class="row-note archived-words">{tameProse(textOf(item.row))}</p>;
    default:
      return null;
  }
}
