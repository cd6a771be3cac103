import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  createLocalModels,
  type LocalDevice,
  type LocalModel,
  parameterWords,
  sizeWords,
  suggested,
} from '../../live/local-models.ts';
import { Fact } from '../../parts/fact.tsx';
import { Empty } from '../../parts/small.tsx';
import { AddModel } from './add-model.tsx';
import { ChainForm } from './chain.tsx';
import { LocalModelCard } from './local-model-card.tsx';
import { Section } from './section.tsx';

/** The models of this device: what it can run, what lies here, what could be downloaded. */
export function LocalModelSettings(): JSX.Element {
  const page = usePage();
  const { list, read } = createLocalModels(page);
  const here = (): LocalModel[] => (list()?.models ?? []).filter(({ state }) => state !== 'absent');
  const main = (): LocalModel | undefined => here().find(({ usedBy }) => usedBy.length > 0);
  const proposed = (): LocalModel[] => (list()?.models ?? []).filter(({ state }) => state === 'absent');
  return (
    <Show
      when={list() !== null}
      fallback={<Empty title="Models do not run here">The kernel of this page has no place for them.</Empty>}
    >
      <Section
        title="On this device"
        text="Models that run inside this browser. They work without network, cost nothing, and what you say to them stays here."
      >
        <Show when={list()}>{(known) => <DeviceLine device={known().device} />}</Show>
        <Show
          when={here().length > 0}
          fallback={<NothingHere proposed={proposed()} ready={list() !== undefined} />}
        >
          <ul class="plain rows" aria-label="Models on this device">
            <For each={here()}>
              {(model) => <LocalModelCard model={model} onChanged={() => void read()} />}
            </For>
          </ul>
        </Show>
      </Section>
      <Section title="When it answers" text={whenWords(main())}>
        <Show when={list() && !main()}>
          <ChainForm models={here().filter(({ state }) => state === 'ready')} />
        </Show>
      </Section>
      <Section
        title="To download"
        text="Small models that are free to use. A download goes on when you leave this page, and after a reload."
      >
        <ul class="plain rows" aria-label="Models to download">
          <For each={proposed()}>
            {(model) => <LocalModelCard model={model} onChanged={() => void read()} />}
          </For>
        </ul>
      </Section>
      <Section title="Another model" text="Any GGUF file: from an address, or from this device.">
        <AddModel onChanged={() => void read()} />
      </Section>
    </Show>
  );
}

function whenWords(main: LocalModel | undefined): string {
  return main
    ? `${main.name} is your main model: it always answers. To ask a model of the network first, choose that one under Model.`
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

function NothingHere(props: { proposed: LocalModel[]; ready: boolean }): JSX.Element {
  const first = (): LocalModel | undefined => suggested(props.proposed);
  return (
    <Show when={props.ready} fallback={<p class="hint">Looking…</p>}>
      <Empty title="No model is here yet">
        <Show when={first()} fallback="Download one below, or import a GGUF file.">
          {(model) => (
            <>
              Download one below. {model().name} ({sizeWords(model().bytes)},{' '}
              {parameterWords(model().parameters ?? 0)}) suits this device and can use tools.
            </>
          )}
        </Show>
      </Empty>
    </Show>
  );
}
