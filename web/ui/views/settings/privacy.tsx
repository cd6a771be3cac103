import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  createSealing,
  phraseWords,
  resealingWords,
  type Sealing,
  type SealState,
  serverWords,
} from '../../live/sealing.ts';
import { Fact } from '../../parts/fact.tsx';
import { Bar, Dot } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';
import { PhraseDialog } from './phrase-dialog.tsx';
import { SealNow } from './seal-now.tsx';
import { Section } from './section.tsx';

/** Who can read this GSV, and what keeps it so. */
export function PrivacySettings(): JSX.Element {
  const { gsv, status } = usePage();
  const sealing = createSealing(gsv);
  const alone = (): boolean => status()?.link === 'alone';
  return (
    <Switch fallback={<p class="hint">What is known of the keys could not be read.</p>}>
      <Match when={sealing.state() === undefined}>
        <p class="hint" aria-busy="true">
          …
        </p>
      </Match>
      <Match when={sealing.state()}>
        {(state) => (
          <>
            <Section title="What the server can read" text={serverWords(state().sealed, alone())}>
              <Show when={state().sealed} fallback={<SealNow sealing={sealing} />}>
                <Keys state={state()} sealing={sealing} />
              </Show>
            </Section>
            <Show when={state().sealed}>
              <Section title="Recovery phrase" text="24 words on paper that stand for the keys.">
                <Phrase state={state()} sealing={sealing} />
              </Section>
              <Section
                title="In the clear"
                text="What a server needs to let your browsers and machines in, and no more."
              >
                <InTheClear />
              </Section>
            </Show>
          </>
        )}
      </Match>
    </Switch>
  );
}

function Keys(props: { state: SealState; sealing: Sealing }): JSX.Element {
  const { gsv, notices } = usePage();
  const [busy, setBusy] = createSignal(false);
  const rotate = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Make new keys?',
      text: 'Your other browsers get them by themselves. Everything is sealed anew in the background, and can be read meanwhile. Removing a browser under Devices does the same.',
      action: 'Make new keys',
      danger: false,
    });
    if (!sure) return;
    setBusy(true);
    const made = await notices.attempt('No new keys were made', () => gsv.call('sys.seal.rotate', {}));
    if (made) notices.good('There are new keys.');
    await props.sealing.refresh();
    setBusy(false);
  };
  return (
    <>
      <dl class="facts wide-facts">
        <Show when={props.state.since}>
          {(since) => <Fact name="sealed since" value={fullTime(since())} />}
        </Show>
        <Fact name="keys made" value={String(props.state.epoch)} />
      </dl>
      <Faults state={props.state} sealing={props.sealing} />
      <Show when={props.state.resealing}>
        {(now) => (
          <div class="storage-bar">
            <Bar value={now().total === 0 ? 1 : now().done / now().total} label="Sealed anew" />
            <p class="hint" role="status">
              {resealingWords(now())}
            </p>
          </div>
        )}
      </Show>
      <div class="form-actions start">
        <button type="button" class="button" disabled={busy()} onClick={() => void rotate()}>
          Make new keys
        </button>
      </div>
    </>
  );
}

/** What the server handed out that none of these browsers wrote. */
function Faults(props: { state: SealState; sealing: Sealing }): JSX.Element {
  const { gsv, notices } = usePage();
  const repair = async (name: string): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Send everything again?',
      text: 'The server is to hold what this browser has, in place of what it made of it. Do it in a browser that shows everything.',
      action: 'Send again',
      danger: false,
    });
    if (!sure) return;
    const sent = await notices.attempt('It was not sent again', () => gsv.call('sys.seal.repair', { name }));
    if (sent) notices.good('The server holds what is here again.');
    await props.sealing.refresh();
  };
  return (
    <ul class="plain-list">
      <For each={props.state.faults}>
        {(fault) => (
          <li class="fault-row">
            <p class="problem-text" role="alert">
              <Dot tone="bad" />
              <span>{fault.words}</span>
            </p>
            <button type="button" class="button" onClick={() => void repair(fault.name)}>
              Send again
            </button>
          </li>
        )}
      </For>
    </ul>
  );
}

function Phrase(props: { state: SealState; sealing: Sealing }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const close = (): void => {
    setOpen(false);
    void props.sealing.refresh();
  };
  return (
    <>
      <p class="problem-text">
        <Dot tone={props.state.phrase === 'kept' ? 'good' : 'wait'} />
        <span>{phraseWords(props.state.phrase)}</span>
      </p>
      <div class="form-actions start">
        <button
          type="button"
          class="button"
          classList={{ primary: props.state.phrase !== 'kept' }}
          onClick={() => setOpen(true)}
        >
          {props.state.phrase === 'none' ? 'Make a recovery phrase' : 'Make another phrase'}
        </button>
      </div>
      <Show when={open()}>
        <PhraseDialog onClose={close} />
      </Show>
    </>
  );
}

const clear = [
  'User names and groups, and which of them may use which device',
  'Names of your browsers and devices, their kind and version, when they were last seen',
  'Labels and fingerprints of tokens, never the tokens',
  'Which process or device is at work when, and with how many bytes; never with what',
  'Which kind of news a closed browser is told of, without its words',
  'The name and address of your model provider, and what passes to it where you allow the server to carry it',
];

function InTheClear(): JSX.Element {
  return (
    <ul class="dash-list">
      <For each={clear}>{(line) => <li>{line}</li>}</For>
    </ul>
  );
}
