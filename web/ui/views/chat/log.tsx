import { createEffect, createSignal, type JSX, Match, on, Show, Switch } from 'solid-js';
import { Virtualizer } from 'virtua/solid';
import type { Item } from '../../live/items.ts';
import { Icon } from '../../parts/icon.tsx';
import { scrollable } from '../../parts/small.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { CallCard } from './call-card.tsx';
import { useChat } from './chat-context.ts';
import { EventEntry } from './event-entry.tsx';
import { LiveAnswer } from './live-answer.tsx';
import { Answer, CostLine, Note, Thinking, UserMessage } from './messages.tsx';
import { createStickiness } from './stickiness.ts';
import { SummaryNote } from './summary-note.tsx';
import { Welcome } from './welcome.tsx';

/** This near to the first message held, the page before it is fetched. */
const NEAR_START_PX = 1_200;
/** Rendered beyond the edges, so that a quick scroll shows no gap. */
const BUFFER_PX = 300;
/** Before the first messages are measured. */
const LIKELY_ITEM_PX = 72;

/** The conversation itself. Only what is on screen is in the document. */
export function Log(): JSX.Element {
  const { place, conversation, sent } = useChat();
  const [scroller, setScroller] = createSignal<HTMLElement>();
  const [prepending, setPrepending] = createSignal(false);
  const loadOlder = async (): Promise<void> => {
    const element = scroller();
    const far = element === undefined || element.scrollTop > NEAR_START_PX;
    if (far || conversation.olderCount() === 0 || prepending()) return;
    setPrepending(true);
    await conversation.loadOlder().catch(() => false);
    requestAnimationFrame(() => setPrepending(false));
  };
  const stick = createStickiness(scroller, () => void loadOlder());
  const goToEnd = (): void => {
    stick.set(true);
    stick.toEnd();
  };
  /** At the very top a correction of the offset moves nothing, and rows would wait for a scroll that never comes. */
  const showTop = (): void => {
    const element = scroller();
    if (element?.scrollTop === 0) element.dispatchEvent(new Event('scroll'));
  };
  createEffect(on(place, () => stick.set(true)));
  createEffect(on(sent, goToEnd, { defer: true }));
  createEffect(on(conversation.items, () => stick.stuck() && stick.toEnd()));
  return (
    <div class="log-area">
      {/* Rows come and go while scrolling: `Announcer` says what is new instead. */}
      <div
        ref={setScroller}
        class="log"
        {...scrollable('Conversation', 'log')}
        aria-live="off"
        aria-busy={!conversation.ready()}
      >
        <div class="log-column">
          <Show
            when={conversation.items().length > 0}
            fallback={<Show when={conversation.ready()}>{<Welcome />}</Show>}
          >
            <Virtualizer
              data={conversation.items()}
              scrollRef={scroller()}
              shift={prepending()}
              itemSize={LIKELY_ITEM_PX}
              bufferSize={BUFFER_PX}
              onResize={() => (stick.stuck() ? stick.toEnd() : queueMicrotask(showTop))}
            >
              {(item) => <Entry item={item} />}
            </Virtualizer>
          </Show>
        </div>
      </div>
      <Show when={!stick.stuck() && conversation.items().length > 0}>
        <button type="button" class="to-latest" onClick={goToEnd}>
          <Icon name="down" size={15} />
          Jump to latest
        </button>
      </Show>
    </div>
  );
}

function Entry(props: { item: Item }): JSX.Element {
  const { conversation } = useChat();
  const of = <Kind extends Item['kind']>(kind: Kind): Extract<Item, { kind: Kind }> | false =>
    props.item.kind === kind && (props.item as Extract<Item, { kind: Kind }>);
  return (
    <div class="entry" data-kind={props.item.kind}>
      <Switch>
        <Match when={of('user')}>{(item) => <UserMessage row={item().row} />}</Match>
        <Match when={of('event')}>{(item) => <EventEntry row={item().row} />}</Match>
        <Match when={of('answer')}>{(item) => <Answer text={item().text} />}</Match>
        <Match when={of('thinking')}>{(item) => <Thinking text={item().text} />}</Match>
        <Match when={of('call')}>{(item) => <CallCard call={item().call} runId={item().runId} />}</Match>
        <Match when={of('note')}>
          {(item) => (
            <Show when={item().row.note === 'summary'} fallback={<Note row={item().row} />}>
              <SummaryNote row={item().row} />
            </Show>
          )}
        </Match>
        <Match when={of('cost')}>{(item) => <CostLine cost={item().cost} />}</Match>
        <Match when={of('live')}>
          <LiveAnswer />
        </Match>
        <Match when={of('approval')}>
          <Show when={conversation.hil()} keyed>
            {(request) => <ApprovalCard request={request} />}
          </Show>
        </Match>
      </Switch>
    </div>
  );
}
