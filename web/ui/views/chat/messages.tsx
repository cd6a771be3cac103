import { For, type JSX, Show } from 'solid-js';
import type { MessageRow } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { namesSettings } from '../../live/failure-words.ts';
import type { RunCost } from '../../live/items.ts';
import { answerOf, imagesOf, mediaOf, textOf } from '../../live/messages.ts';
import { runCostWords } from '../../live/usage-words.ts';
import { pictureAddress } from '../../markdown/addresses.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { CopyButton, Dot } from '../../parts/small.tsx';
import { clockTime, duration, fullTime, tokens } from '../../parts/words.ts';
import { ContinueOffer } from './budget-offer.tsx';
import { useChat } from './chat-context.ts';
import { ForkButton } from './fork-button.tsx';
import { MediaList } from './media-view.tsx';

export function UserMessage(props: { row: MessageRow }): JSX.Element {
  return (
    <article class="user-message" aria-label="You" title={fullTime(props.row.timestamp)} dir="auto">
      {tameProse(textOf(props.row))}
      <Pictures row={props.row} />
      <ForkButton row={props.row} />
    </article>
  );
}

/** Pictures and files of a message. Older messages hold the pictures themselves. */
export function Pictures(props: { row: Pick<MessageRow, 'content'> }): JSX.Element {
  const sources = (): string[] =>
    imagesOf(props.row)
      .map((image) => pictureAddress(`data:${image.mimeType};base64,${image.data}`))
      .filter((source) => source !== null);
  return (
    <>
      <For each={sources()}>{(source) => <img class="picture" src={source} alt="" />}</For>
      <MediaList media={mediaOf(props.row)} />
    </>
  );
}

export function Answer(props: { text: string }): JSX.Element {
  return (
    <article class="answer" aria-label="GSV">
      <Markdown source={props.text} />
    </article>
  );
}

export function Thinking(props: { text: string; live?: boolean }): JSX.Element {
  return (
    <details class="thinking">
      <summary>
        <Icon name="chevron" size={14} />
        {props.live ? 'Thinking…' : 'Thought about it'}
      </summary>
      <div class="thinking-text" dir="auto">
        {tameProse(props.text)}
      </div>
    </details>
  );
}

const noteTitles = {
  error: 'The run stopped',
  aborted: 'Stopped',
  limit: 'A limit was reached',
  event: '',
  summary: '',
};

/** None where the words begin with it. */
function noteTitle(kind: keyof typeof noteTitles, text: string): string {
  const title = noteTitles[kind];
  return text.startsWith(title) ? '' : title;
}

/** Words of the system between the messages. An error at the end can be tried again. */
export function Note(props: { row: MessageRow }): JSX.Element {
  const { conversation, about } = useChat();
  const { gsv, notices } = usePage();
  const kind = () => props.row.note ?? 'event';
  const isLast = (): boolean =>
    conversation.rows().at(-1)?.id === props.row.id && conversation.run() === null;
  const retry = () => notices.attempt('It could not be tried again', () => gsv.call('proc.retry', about()));
  return (
    <div class="note" classList={{ [kind()]: true }}>
      <Show when={kind() === 'error' || kind() === 'limit'}>
        <Dot tone={kind() === 'error' ? 'bad' : 'wait'} />
      </Show>
      <p>
        <Show when={noteTitle(kind(), textOf(props.row))}>{(title) => <strong>{title()}. </strong>}</Show>
        {tameProse(textOf(props.row))}
      </p>
      <Show when={kind() === 'error' && isLast()}>
        <div class="note-actions">
          <Show when={namesSettings(textOf(props.row))}>
            <Link href="/settings/model" class="button">
              Set up the model
            </Link>
          </Show>
          <button type="button" class="button" onClick={() => void retry()}>
            <Icon name="retry" size={15} />
            Retry
          </button>
        </div>
      </Show>
      <Show when={kind() === 'limit' && isLast()}>
        <ContinueOffer budgets={props.row.budgets ?? []} />
      </Show>
    </div>
  );
}

/** What a run cost, once it has ended. What is not known is left out. */
export function CostLine(props: { cost: RunCost }): JSX.Element {
  const page = usePage();
  const { conversation } = useChat();
  const said = (): string => answerOf(conversation.rows(), props.cost.runId);
  const parts = (): string[] => {
    const { usage, durationMs, endedAt, free } = props.cost;
    const read = usage.input + usage.cacheRead + usage.cacheWrite;
    return [
      clockTime(endedAt, page.now()),
      ...(durationMs === null ? [] : [duration(durationMs)]),
      `${tokens(read)} tokens in, ${tokens(usage.output)} out`,
      ...(usage.cost > 0 || free ? [runCostWords(usage.cost, free)] : []),
    ];
  };
  return (
    <p class="cost-line" title={fullTime(props.cost.endedAt)}>
      <For each={parts()}>{(part) => <span>{part}</span>}</For>
      <CopyButton text={said()} label="Copy the answer" quiet bare />
    </p>
  );
}
