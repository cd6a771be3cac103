import { For, type JSX, Show } from 'solid-js';
import { conversationTitle } from '../../live/conversations.ts';
import type { LocalModel } from '../../live/local-models.ts';
import { processTitle } from '../../live/processes.ts';
import { Link } from '../../parts/link.tsx';
import { count } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';

type Use = LocalModel['use'];
type Using = Use['conversations'][number];

/** Which conversations ask a model of this device first, each with a way to it. */
export function ModelUse(props: { name: string; use: Use }): JSX.Element {
  return (
    <Show when={props.use.main || props.use.standIn}>
      <Show when={props.use.total > 0} fallback={<p class="row-sub">{roleWords(props.use)}</p>}>
        <details class="more model-use">
          <summary>{roleWords(props.use)}</summary>
          <ul class="plain" aria-label={`Conversations with ${props.name}`}>
            <For each={props.use.conversations}>{(row) => <Using row={row} />}</For>
          </ul>
          <Show when={props.use.total > props.use.conversations.length}>
            <p class="row-sub">and {props.use.total - props.use.conversations.length} older ones</p>
          </Show>
        </details>
      </Show>
    </Show>
  );
}

function Using(props: { row: Using }): JSX.Element {
  return (
    <li>
      <Link href={chatPath(props.row.pid, props.row.conversationId)}>{conversationTitle(props.row)}</Link>
      <span class="hint">
        {processTitle(props.row)} · {props.row.profile}
      </span>
    </li>
  );
}

function roleWords({ main, total }: Use): string {
  const asking = count(total, 'conversation');
  if (main)
    return total === 0 ? 'Your main model' : `Your main model: ${asking} ${total === 1 ? 'asks' : 'ask'} it`;
  return total === 0
    ? 'Stands in where your main model cannot answer'
    : `Stands in, and answers ${asking} that ${total === 1 ? 'is' : 'are'} kept on this device`;
}
