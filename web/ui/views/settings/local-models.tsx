import { For, type JSX, Show } from 'solid-js';
import { OWN_MODEL, OWN_MODEL_NAME } from '../../../../shared/kernel/local/own-model.ts';
import { usePage } from '../../context.ts';
import {
  createLocalModels,
  downloadModel,
  type LocalDevice,
  type LocalModel,
  parameterWords,
  sizeWords,
  suggested,
} from '../../live/local-models.ts';
import { readChoice } from '../../live/model-choice.ts';
import { createOwnModel } from '../../live/own-model.ts';
import { createAsked } from '../../parts/asked.ts';
import { Fact } from '../../parts/fact.tsx';
import { Empty } from '../../parts/small.tsx';
import { AddModel } from './add-model.tsx';
import { ChainForm } from './chain.tsx';
import { Keeping } from './keeping.tsx';
import { LocalModelCard } from './local-model-card.tsx';
import { OwnModelCard } from './own-model.tsx';
import { Section } from './section.tsx';

/** The models of this device: what it can run, what lies here, what could be downloaded. */
export function LocalModelSettings(): JSX.Element {
  const page = usePage();
  const { list, read } = createLocalModels(page);
  const here = (): LocalModel[] => (list()?.models ?? []).filter(({ state }) => state !== 'absent');
  const choice = createAsked(() => readChoice(page));
  const own = createOwnModel();
  const changed = (): void => {
    void read();
    void choice.again();
  };
  /** The name of the main model, where it runs here. */
  const main = (): string | undefined => {
    const { provider, model } = choice.latest() ?? {};
    if (provider === 'browser') return OWN_MODEL_NAME;
    return here().find(({ engine, id }) => engine === provider && id === model)?.name;
  };
  const standIns = (): { value: string; name: string }[] => [
    ...here()
      .filter(({ state }) => state === 'ready')
      .map(({ engine, id, name }) => ({ value: `${engine}/${id}`, name })),
    ...(own.state() === 'available' ? [{ value: `browser/${OWN_MODEL}`, name: OWN_MODEL_NAME }] : []),
  ];
  const proposed = (): LocalModel[] => (list()?.models ?? []).filter(({ state }) => state === 'absent');
  return (
    <Show
      when={list() !== null}
      fallback={
        <Empty title="Models do not run here">
          This browser cannot run them. A provider’s models work as usual.
        </Empty>
      }
    >
      <Section
        title="On this device"
        text="Models that run inside this browser. They work without network, cost nothing, and what you say to them stays here."
      >
        <Show when={list()}>{(known) => <DeviceLine device={known().device} />}</Show>
        <Show
          when={here().length > 0}
          fallback={<NothingHere proposed={proposed()} ready={list() !== undefined} onChanged={changed} />}
        >
          <ModelCards label="Models on this device" models={here()} onChanged={changed} />
          <Keeping />
        </Show>
      </Section>
      <Section title="When it answers" text={whenWords(main())}>
        <Show when={list() && !main()}>
          <ChainForm models={standIns()} />
        </Show>
      </Section>
      <Section title="The browser’s own" text="Some browsers bring a model. It stays on this device, too.">
        <OwnModelCard own={own} choice={choice.latest()} onChanged={changed} />
      </Section>
      <Section
        title="To download"
        text="Small models that are free to use. A download goes on when you leave this page, and after a reload."
      >
        <ModelCards label="Models to download" models={proposed().filter(fits)} onChanged={changed} />
        <Show when={proposed().some((model) => !fits(model))}>
          <details class="more">
            <summary>
              {proposed().filter((model) => !fits(model)).length} that this device cannot run, or not well
            </summary>
            <ModelCards
              label="Models that do not fit"
              models={proposed().filter((model) => !fits(model))}
              onChanged={changed}
            />
          </details>
        </Show>
      </Section>
      <Section
        title="Another model"
        text="Any GGUF file, from an address or from this device; or one compiled for WebLLM."
      >
        <AddModel onChanged={changed} />
      </Section>
    </Show>
  );
}

const fits = ({ unfit }: LocalModel): boolean => unfit === '';

function ModelCards(props: { label: string; models: LocalModel[]; onChanged(): void }): JSX.Element {
  return (
    <ul class="plain rows" aria-label={props.label}>
      <For each={props.models}>
        {(model) => <LocalModelCard model={model} onChanged={() => props.onChanged()} />}
      </For>
    </ul>
  );
}

function whenWords(main: string | undefined): string {
  return main
    ? `${main} is your main model: it always answers. To ask a model of the network first, choose that one under Model.`
    : 'Your main model is asked first. A model of this device can go on where that one cannot.';
}

function DeviceLine(props: { device: LocalDevice }): JSX.Element {
  const graphics = (): string => {
    const { gpu } = props.device;
    if (!gpu) return 'no WebGPU here; models run on the processor';
    return `${gpu.name}${gpu.shaderF16 ? '' : ', without 16-bit numbers'}`;
  };
  const memory = (): string =>
    props.device.memoryGb === null ? 'the browser does not say' : `${props.device.memoryGb} GB or more`;
  const room = (): string =>
    props.device.freeBytes === null ? 'the browser does not say' : sizeWords(props.device.freeBytes);
  return (
    <dl class="facts wide-facts device-facts">
      <Fact name="graphics processor" value={graphics()} />
      <Fact name="memory" value={memory()} />
      <Fact name="room left" value={room()} />
      <Show when={!props.device.wasm}>
        <Fact
          name="processor"
          value="this browser lacks what llama.cpp needs (JSPI); a newer Chrome or Edge has it"
        />
      </Show>
    </dl>
  );
}

function NothingHere(props: { proposed: LocalModel[]; ready: boolean; onChanged(): void }): JSX.Element {
  const page = usePage();
  const first = (): LocalModel | undefined => suggested(props.proposed);
  return (
    <Show when={props.ready} fallback={<p class="hint">Looking…</p>}>
      <Empty title="No model is here yet">
        <Show when={first()} fallback="Download one below, or import a GGUF file.">
          {(model) => (
            <>
              {model().name} ({parameterWords(model().parameters ?? 0)}) suits this device and can use tools.
              Smaller and larger ones stand below.
              <span class="empty-action">
                <button
                  type="button"
                  class="button primary"
                  onClick={() => void downloadModel(page, model().id).then(props.onChanged)}
                >
                  Download {model().name}, {sizeWords(model().bytes)}
                </button>
              </span>
            </>
          )}
        </Show>
      </Empty>
    </Show>
  );
}
