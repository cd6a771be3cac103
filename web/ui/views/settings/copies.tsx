import { createSignal, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { type Copy, copyWords, goBackWords, restoredWords } from '../../live/storage.ts';
import { createAsked } from '../../parts/asked.ts';
import { Dot } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { Section } from './section.tsx';

/** A kernel ends in less. */
const ENDED_MS = 3_000;

/** Copies of everything that this browser made; nothing where there is none. */
export function Copies(): JSX.Element {
  const { gsv } = usePage();
  const copies = createAsked(async () => (await gsv.call('sys.backup.list', {})).backups);
  return (
    <Show when={(copies.latest()?.length ?? 0) > 0}>
      <Section
        title="Copies of everything"
        text="Made in this browser before an update changed how data is stored, and before you went back to a copy. If something is missing since, it is there. Each goes by itself after 30 days, or when the next update makes a new one."
      >
        <ul class="plain rows" aria-label="Copies of everything">
          <For each={copies.latest()}>
            {(copy) => <CopyCard copy={copy} onChanged={() => void copies.again()} />}
          </For>
        </ul>
      </Section>
    </Show>
  );
}

function CopyCard(props: { copy: Copy; onChanged(): void }): JSX.Element {
  const { gsv, notices, status } = usePage();
  const [doing, setDoing] = createSignal<'download' | 'return' | null>(null);
  const when = (): string => fullTime(props.copy.createdAt);
  const during = async (what: 'download' | 'return', run: () => Promise<unknown>): Promise<void> => {
    setDoing(what);
    await run();
    setDoing(null);
  };
  const download = (): Promise<unknown> =>
    notices.attempt('The copy was not downloaded', async () => {
      const { download: save } = await import('../../live/files.ts');
      await save(() => gsv.open('sys.backup.export', { name: props.copy.name }));
      return true;
    });
  const goBack = async (): Promise<void> => {
    const went = await notices.attempt('Nothing was changed', () =>
      gsv.call('sys.backup.restore', { name: props.copy.name }),
    );
    if (went === null) return;
    // The page begins anew with the next kernel.
    gsv.onAttachment((attachment) => {
      if (attachment !== 'attached') location.reload();
    });
    await new Promise(() => setTimeout(() => location.reload(), ENDED_MS));
  };
  const askToGoBack = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: `Go back to ${when()}?`,
      text: goBackWords(status()?.link !== 'alone'),
      action: 'Go back',
      danger: true,
    });
    if (sure) await during('return', goBack);
  };
  const remove = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Remove this copy?',
      text: 'What is stored now stays. Whatever only the copy has is gone.',
      action: 'Remove',
      danger: true,
    });
    if (!sure) return;
    const answer = await notices.attempt('The copy was not removed', () =>
      gsv.call('sys.backup.remove', { name: props.copy.name }),
    );
    if (answer !== null) props.onChanged();
  };
  return (
    <li class="row-card">
      <Dot tone={props.copy.restored?.done ? 'good' : 'off'} />
      <div class="row-main">
        <span class="row-title">{when()}</span>
        <p class="row-sub">{copyWords(props.copy)}</p>
        <Show when={props.copy.restored}>
          {(restored) => <p class="row-sub">{restoredWords(restored(), fullTime)}</p>}
        </Show>
        <p class="row-sub" role="status">
          {doing() === 'return' ? 'Keeping what is here now, then going back…' : ''}
        </p>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="button"
          disabled={doing() !== null}
          aria-label={`Go back to the copy of ${when()}`}
          onClick={() => void askToGoBack()}
        >
          {doing() === 'return' ? 'Going back…' : 'Go back'}
        </button>
        <button
          type="button"
          class="button"
          disabled={doing() !== null}
          aria-label={`Download the copy of ${when()}`}
          onClick={() => void during('download', download)}
        >
          {doing() === 'download' ? 'Downloading…' : 'Download'}
        </button>
        <button
          type="button"
          class="button"
          disabled={doing() !== null}
          aria-label={`Remove the copy of ${when()}`}
          onClick={() => void remove()}
        >
          Remove
        </button>
      </div>
    </li>
  );
}
