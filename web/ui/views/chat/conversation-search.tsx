import { createSignal, For, type JSX, onMount, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { usePage } from '../../context.ts';
import { Form } from '../../parts/form.tsx';
import { Link } from '../../parts/link.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { clockTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import type { ArchivedPlace } from './archive.ts';

type Found = Extract<Result<'proc.search'>, { ok: true }>;
type Match = Found['matches'][number];
const MOST = 30;

/** Finds messages of all conversations, archived ones too. */
export function ConversationSearch(props: {
  /** What is looked for at once. */
  query?: string;
  onGo(): void;
  onRead(place: ArchivedPlace): void;
}): JSX.Element {
  const page = usePage();
  const [query, setQuery] = createSignal(props.query ?? '');
  const [found, setFound] = createSignal<Found | null>(null);
  const [busy, setBusy] = createSignal(false);
  const search = async (): Promise<void> => {
    setFound(null);
    if (query().trim() === '') return;
    setBusy(true);
    setFound(
      await page.notices.attempt('The search failed', () =>
        page.gsv.call('proc.search', { query: query(), limit: MOST }),
      ),
    );
    setBusy(false);
  };
  onMount(() => void search());
  const words = (): string => {
    const matches = found()?.matches.length ?? 0;
    if (busy()) return 'Searching…';
    if (found() === null) return '';
    if (matches === 0) return 'Nothing was found.';
    return found()?.complete === false ? `The newest ${matches}` : `${matches} found`;
  };
  return (
    <search class="conversation-search">
      <Form class="inline-form" onSubmit={() => void search()}>
        <input
          class="input"
          type="search"
          aria-label="Search all messages"
          placeholder="Search all messages"
          autofocus={props.query !== undefined}
          value={query()}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={busy()}>
          Search
        </button>
      </Form>
      <p class="row-note" role="status">
        {words()}
      </p>
      <ul class="plain conversation-list">
        <For each={found()?.matches}>
          {(match) => (
            <li>
              <Show
                when={match.segmentId}
                fallback={
                  <Link href={chatPath(match.pid, match.conversationId)} onGo={props.onGo}>
                    {tameProse(match.snippet)}
                  </Link>
                }
              >
                {(segmentId) => (
                  <button
                    type="button"
                    class="text-button found-words"
                    onClick={() => props.onRead(placeOf(match, segmentId()))}
                  >
                    {tameProse(match.snippet)}
                  </button>
                )}
              </Show>
              <span class="row-note">
                <span class="match-title">{match.title ?? 'Conversation'}</span> ·{' '}
                {clockTime(match.timestamp, page.now())}
                <Show when={match.segmentId !== null}> · in the archive</Show>
              </span>
            </li>
          )}
        </For>
      </ul>
    </search>
  );
}

function placeOf({ pid, conversationId, messageId }: Match, segmentId: string): ArchivedPlace {
  return { about: { pid, conversationId }, found: { segmentId, messageId } };
}
