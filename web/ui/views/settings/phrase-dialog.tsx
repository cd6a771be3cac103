import { createSignal, For, type JSX, Match, Switch } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { usePage } from '../../context.ts';
import { twoPlaces } from '../../live/sealing.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form, Problem } from '../../parts/form.tsx';
import { CopyButton } from '../../parts/small.tsx';

const WORDS = 24;

/** Shows a new recovery phrase, once, and asks for two of its words. */
export function PhraseDialog(props: { onClose(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [words, setWords] = createSignal<readonly string[] | null>(null);
  const [written, setWritten] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  void gsv.call('sys.seal.phrase.make', {}).then(
    (made) => setWords(made.words),
    (thrown) => setProblem(messageOf(thrown)),
  );
  const kept = (): void => {
    notices.good('The phrase is kept. It is not shown again.');
    props.onClose();
  };
  return (
    <Dialog title="Recovery phrase" shape="wide" onClose={props.onClose}>
      <Switch
        fallback={
          <p class="dialog-text" role="status">
            Making it…
          </p>
        }
      >
        <Match when={problem()}>
          <p class="problem" role="alert">
            It could not be made: {problem()}
          </p>
        </Match>
        <Match when={written()}>
          <Check onKept={kept} onBack={() => setWritten(false)} />
        </Match>
        <Match when={words()}>{(made) => <Words words={made()} onWritten={() => setWritten(true)} />}</Match>
      </Switch>
    </Dialog>
  );
}

function Words(props: { words: readonly string[]; onWritten(): void }): JSX.Element {
  return (
    <>
      <p class="dialog-text">
        Write these words down in this order, and keep the paper where you keep your papers. They open this
        GSV in an empty browser, so show them to nobody. An earlier phrase does not work any more.
      </p>
      <ol class="phrase" aria-label="Recovery phrase">
        <For each={props.words}>{(word) => <li translate="no">{word}</li>}</For>
      </ol>
      <div class="dialog-actions">
        <CopyButton text={props.words.join(' ')} label="Copy" />
        <button type="button" class="button primary" onClick={() => props.onWritten()}>
          I have written them down
        </button>
      </div>
    </>
  );
}

function Check(props: { onKept(): void; onBack(): void }): JSX.Element {
  const { gsv } = usePage();
  const places = twoPlaces(WORDS, Math.random);
  const [typed, setTyped] = createSignal<readonly [string, string]>(['', '']);
  const [problem, setProblem] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const check = async (): Promise<void> => {
    setBusy(true);
    setProblem('');
    const [first, second] = typed();
    const words = [
      { at: places[0], word: first.trim() },
      { at: places[1], word: second.trim() },
    ];
    try {
      await gsv.call('sys.seal.phrase.keep', { words });
      props.onKept();
    } catch (thrown) {
      setProblem(messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form
      novalidate
      onSubmit={() => {
        if (!busy()) void check();
      }}
    >
      <p class="dialog-text">Two of them, from the paper:</p>
      <div class="columns">
        <WordField
          at={places[0]}
          value={typed()[0]}
          onValue={(word) => setTyped(([, second]) => [word, second])}
        />
        <WordField
          at={places[1]}
          value={typed()[1]}
          onValue={(word) => setTyped(([first]) => [first, word])}
        />
      </div>
      <Problem text={problem()} />
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onBack()}>
          Show the words
        </button>
        <button type="submit" class="button primary" disabled={busy()}>
          Done
        </button>
      </div>
    </Form>
  );
}

function WordField(props: { at: number; value: string; onValue(word: string): void }): JSX.Element {
  return (
    <TextField
      label={`Word ${props.at}`}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      value={props.value}
      onValue={props.onValue}
    />
  );
}
