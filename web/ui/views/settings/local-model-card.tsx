import { type JSX, Match, Show, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  downloadModel,
  type LocalModel,
  parameterWords,
  sizeWords,
  speedWords,
  stateWords,
  toolWords,
  useAsMain,
} from '../../live/local-models.ts';
import { Bar, Chip, Dot, type Tone } from '../../parts/small.tsx';
import { tokens } from '../../parts/words.ts';
import { ModelUse } from './model-use.tsx';

const tones: Record<LocalModel['state'], Tone> = {
  absent: 'off',
  downloading: 'busy',
  paused: 'wait',
  ready: 'good',
  failed: 'bad',
};
const engineNames = {
  wllama: 'on the processor',
  webllm: 'on the graphics processor',
  browser: 'the browser’s own',
};

/** One model with its state, its figures, and what can be done with it. */
export function LocalModelCard(props: { model: LocalModel; onChanged(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const page = usePage();
  const model = () => props.model;
  const call = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    await notices.attempt(what, work);
    props.onChanged();
  };
  const download = () => downloadModel(page, model().id).then(() => props.onChanged());
  const pause = () => call('It was not paused', () => gsv.call('ai.local.pause', { id: model().id }));
  const remove = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: `Delete ${model().name}?`,
      text: 'Its file leaves this device. It can be downloaded again.',
      action: 'Delete',
      danger: true,
    });
    if (sure) await call('It was not deleted', () => gsv.call('ai.local.remove', { id: model().id }));
  };
  const use = () =>
    call('It is not used', async () => {
      await useAsMain(page, { provider: model().engine, model: model().id });
      notices.good(`${model().name} answers from now on.`);
    });
  const used = (): boolean => model().use.main;
  return (
    <li class="row-card" classList={{ faded: model().unfit !== '' && model().state === 'absent' }}>
      <Dot tone={tones[model().state]} beats={model().state === 'downloading'} />
      <div class="row-main">
        <p class="row-title">{model().name}</p>
        <p class="row-sub">{factsOf(model())}</p>
        <Show when={stateWords(model())}>
          {(words) => (
            <p class="row-sub" role="status">
              {words()}
            </p>
          )}
        </Show>
        <Show when={(model().state === 'downloading' || model().state === 'paused') && model().bytes > 0}>
          <Bar
            value={model().storedBytes / model().bytes}
            label={`${model().name} downloaded`}
            tone={tones[model().state]}
          />
        </Show>
        <Show when={model().state === 'ready'}>
          <dl class="row-facts">
            <div>
              <dt>speed</dt>
              <dd>{speedWords(model())}</dd>
            </div>
            <Show when={model().sha256 !== ''}>
              <div>
                <dt>{model().engine === 'webllm' ? 'files' : 'file'}</dt>
                <dd title={model().sha256}>{fileWords(model())}</dd>
              </div>
            </Show>
          </dl>
          <ModelUse name={model().name} use={model().use} />
        </Show>
        <Show when={model().unfit}>{(words) => <p class="row-sub">{words()}</p>}</Show>
      </div>
      <div class="row-actions">
        <Show when={used()}>
          <Chip>in use</Chip>
        </Show>
        <Show when={model().use.standIn}>
          <Chip>stands in</Chip>
        </Show>
        <Switch>
          <Match when={model().state === 'absent'}>
            <button
              type="button"
              class="button"
              aria-label={`Download ${model().name}`}
              onClick={() => void download()}
            >
              {model().unfit === '' ? 'Download' : 'Download anyway'}
            </button>
          </Match>
          <Match when={model().state === 'downloading'}>
            <button
              type="button"
              class="button"
              aria-label={`Pause ${model().name}`}
              onClick={() => void pause()}
            >
              Pause
            </button>
          </Match>
          <Match when={model().state === 'paused' || model().state === 'failed'}>
            <button
              type="button"
              class="button"
              aria-label={`Go on with ${model().name}`}
              onClick={() => void download()}
            >
              {model().state === 'failed' ? 'Try again' : 'Go on'}
            </button>
          </Match>
          <Match when={model().state === 'ready' && !used()}>
            <button
              type="button"
              class="button primary"
              aria-label={`Use ${model().name}`}
              onClick={() => void use()}
            >
              Use
            </button>
          </Match>
        </Switch>
        <Show when={model().state !== 'absent'}>
          <button
            type="button"
            class="button"
            aria-label={`Delete ${model().name}`}
            onClick={() => void remove()}
          >
            Delete
          </button>
        </Show>
      </div>
    </li>
  );
}

function fileWords({ checked, engine, sha256 }: LocalModel): string {
  const hash = `SHA-256 ${sha256.slice(0, 12)}…`;
  if (engine !== 'webllm') return checked ? 'matches its published SHA-256' : hash;
  return checked ? 'weights match their published SHA-256' : `${hash}, noted when they came`;
}

function factsOf(model: LocalModel): string {
  return [
    model.parameters === null ? '' : parameterWords(model.parameters),
    model.bytes > 0 ? sizeWords(model.bytes) : '',
    `${tokens(model.contextWindow)} tokens of context`,
    engineNames[model.engine],
    toolWords(model),
    model.licence,
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}
