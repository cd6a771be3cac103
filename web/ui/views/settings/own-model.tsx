import { type JSX, Show } from 'solid-js';
import { OWN_MODEL, OWN_MODEL_NAME } from '../../../../shared/kernel/local/own-model.ts';
import { usePage } from '../../context.ts';
import { useAsMain } from '../../live/local-models.ts';
import type { LocalChoice } from '../../live/model-choice.ts';
import type { createOwnModel, OwnModel } from '../../live/own-model.ts';
import { Bar, Chip, Dot, type Tone } from '../../parts/small.tsx';

const words: Record<OwnModel, string> = {
  absent: 'This browser has none. Chrome and Edge have one on many computers.',
  unavailable:
    'This browser has one, which this device cannot run: it needs more memory, or a better graphics processor.',
  downloadable: 'It is not downloaded yet. The browser keeps it, for all sites alike.',
  downloading: 'The browser downloads it. It goes on when you leave this page.',
  available: 'It is here, uses tools, and takes no room of GSV’s.',
};
const tones: Record<OwnModel, Tone> = {
  absent: 'off',
  unavailable: 'off',
  downloadable: 'off',
  downloading: 'busy',
  available: 'good',
};

/** The model that the browser brings itself, where it has one. */
export function OwnModelCard(props: {
  own: ReturnType<typeof createOwnModel>;
  choice: LocalChoice | undefined;
  onChanged(): void;
}): JSX.Element {
  const page = usePage();
  const { own } = props;
  const used = (): boolean => props.choice?.provider === 'browser';
  const download = (): Promise<unknown> =>
    page.notices.attempt('The browser did not download its model', own.download);
  const use = async (): Promise<void> => {
    const done = await page.notices.attempt('It is not used', () =>
      useAsMain(page, { provider: 'browser', model: OWN_MODEL }).then(() => true),
    );
    if (done) page.notices.good('The browser’s own model answers from now on.');
    props.onChanged();
  };
  return (
    <Show when={own.state()}>
      {(state) => (
        <div class="row-card" classList={{ faded: state() === 'absent' || state() === 'unavailable' }}>
          <Dot tone={tones[state()]} beats={state() === 'downloading'} />
          <div class="row-main">
            <p class="row-title">{OWN_MODEL_NAME}</p>
            <p class="row-sub" role="status">
              {words[state()]}
            </p>
            <Show when={own.progress() !== null}>
              <Bar value={own.progress() ?? 0} label={`${OWN_MODEL_NAME} downloaded`} tone="busy" />
            </Show>
          </div>
          <div class="row-actions">
            <Show when={used()}>
              <Chip>in use</Chip>
            </Show>
            <Show when={state() === 'downloadable'}>
              <button type="button" class="button" onClick={() => void download()}>
                Download the browser’s model
              </button>
            </Show>
            <Show when={state() === 'available' && !used()}>
              <button
                type="button"
                class="button primary"
                aria-label="Use the browser’s model"
                onClick={() => void use()}
              >
                Use
              </button>
            </Show>
          </div>
        </div>
      )}
    </Show>
  );
}
