import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { type LiveReplica, type ReplicaState, replicaState, replicaWords } from '../../live/replicas.ts';
import { Icon } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { Dot, type Tone } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { BrowserName } from './browser-name.tsx';

const tones: Record<ReplicaState, Tone> = { online: 'good', offline: 'off', 'shut out': 'bad' };

/** The browsers that hold this GSV, each with a copy of everything. */
export function Browsers(): JSX.Element {
  const page = usePage();
  return (
    <section class="group" aria-labelledby="browsers">
      <header class="group-head">
        <div>
          <h2 id="browsers">Browsers</h2>
          <p class="hint">
            Each holds this GSV, works with it also without network, and stays the same as the others.
          </p>
        </div>
        <button type="button" class="button" onClick={() => page.show('add-browser')}>
          <Icon name="plus" size={16} />
          Add a browser
        </button>
      </header>
      <Show when={page.replicas.length > 0} fallback={<p class="hint">Only this browser holds it.</p>}>
        <ul class="plain rows" aria-label="Browsers">
          <For each={page.replicas}>{(row) => <BrowserCard row={row} />}</For>
        </ul>
      </Show>
    </section>
  );
}

function BrowserCard(props: { row: LiveReplica }): JSX.Element {
  const page = usePage();
  const name = (): string => showHidden(props.row.name);
  const state = (): ReplicaState => replicaState(props.row);
  const linkOnline = (): boolean => page.status()?.link === 'online';
  const there = (): boolean => (props.row.here ? linkOnline() : state() === 'online');
  const shutOut = async (): Promise<void> => {
    const sure = await page.notices.confirm({
      title: `Shut out “${name()}”?`,
      text: 'Its connection closes within a second, and it gets no more changes. What it has stored stays there behind the password, and what it has not sent yet does not come here. If it is in strange hands, change the key of your model provider too.',
      action: 'Shut out',
      danger: true,
    });
    if (!sure) return;
    const answer = await page.notices.attempt('It was not shut out', () =>
      page.gsv.call('sys.replica.revoke', { replicaId: props.row.replicaId }),
    );
    if (answer !== null) page.notices.good(`“${name()}” is shut out.`);
  };
  return (
    <li class="row-card" classList={{ faded: state() === 'shut out' }}>
      <Dot tone={state() === 'shut out' ? 'bad' : tones[there() ? 'online' : 'offline']} />
      <div class="row-main">
        <BrowserName row={props.row} fixed={state() === 'shut out'} />
        <p
          class="row-sub"
          title={props.row.lastSeenAt === null ? undefined : `Last seen ${fullTime(props.row.lastSeenAt)}`}
        >
          {showHidden(replicaWords(props.row, linkOnline(), page.now()))}
        </p>
      </div>
      <Show when={!props.row.here && state() !== 'shut out'}>
        <div class="row-actions">
          <button
            type="button"
            class="button"
            aria-label={`Shut out ${name()}`}
            onClick={() => void shutOut()}
          >
            Shut out
          </button>
        </div>
      </Show>
    </li>
  );
}
