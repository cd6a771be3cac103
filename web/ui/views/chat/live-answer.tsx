import { Index, type JSX, Match, Switch } from 'solid-js';
import { Markdown } from '../../markdown/markdown.tsx';
import { Dot } from '../../parts/small.tsx';
import { useChat } from './chat-context.ts';
import { Thinking } from './messages.tsx';

/** The answer that is being written. */
export function LiveAnswer(): JSX.Element {
  const { conversation } = useChat();
  return (
    <div class="live-answer">
      <Index each={conversation.live()}>
        {(block) => (
          <Switch>
            <Match when={block().kind === 'text'}>
              <article class="answer" aria-label="GSV" aria-busy="true">
                <Markdown source={block().text} />
              </article>
            </Match>
            <Match when={block().kind === 'thinking'}>
              <Thinking text={block().text} live={!block().done} />
            </Match>
            <Match when={block().kind === 'toolcall'}>
              <p class="card call-coming">
                <Dot tone="busy" beats />
                Preparing the next step…
              </p>
            </Match>
          </Switch>
        )}
      </Index>
    </div>
  );
}
