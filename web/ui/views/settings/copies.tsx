import { createSignal, For, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import { usePage } from '../../context.ts';
import { copyWords } from '../../live/storage.ts';
import { createAsked } from '../../parts/asked.ts';
import { Dot } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { Section } from './section.tsx';

type Copy = Result<'sys.backup.list'>['backups'][number];

/** What was copied before an update changed how data is stored; nothing where there is no such copy. */
export function Copies(): JSX.Element {
  const { gsv } = usePage();
  const copies = createAsked(async () => (await gsv.call('sys.backup.list', {})).backups);
  return (
    <Show when={(copies.latest()?.length ?? 0) > 0}>
      <Section
        title="From before an update"
        text="An update changed how data is stored here, and all of it was copied first. If something is missing since, it is in this copy, which is restored in an empty browser as an exported file is. It goes by itself after 30 days."
      >
        <ul class="plain rows" aria-label="Copies from before an update">
          <For each={copies.latest()}>
            {(copy) => <CopyCard copy={copy} onRemoved={() => void copies.again()} />}
          </For>
        </ul>
      </Section>
    </Show>
  );
}

function CopyCard(props: { copy: Copy; onRemoved(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [busy, setBusy] = createSignal(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    await notices.attempt('The copy was not downloaded', async () => {
      const { download: save } = await import('../../live/files.ts');
      await save(() => gsv.open('sys.backup.export', { name: props.copy.name }));
      return true;
    });
    setBusy(false);
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
    if (answer !== null) props.onRemoved();
  };
  const when = (): string => fullTime(props.copy.createdAt);
  return (
    <li class="row-card">
      <Dot tone="off" />
      <div class="row-main">
        <span class="row-title">{when()}</span>
        <p class="row-sub">{copyWords(props.copy)}</p>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="button"
          disabled={busy()}
          aria-label={`Download the copy of ${when()}`}
          onClick={() => void download()}
        >
          {busy() ? 'Downloading…' : 'Download'}
        </button>
        <button
          type="button"
          class="button"
          aria-label={`Remove the copy of ${when()}`}
          onClick={() => void remove()}
        >
          Remove
        </button>
      </div>
    </li>
  );
}
