import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import type { Gsv } from '../../../client/gsv.ts';
import { holdsAnother, type JoinProblem, joinProblem } from '../../live/inviting.ts';
import { focusSoon } from '../../parts/focus.ts';
import { Dot } from '../../parts/small.tsx';

/** What an invitation's link opens: one question, then the GSV itself. */
export function JoinView(props: {
  gsv: Gsv;
  secret: string;
  /** This browser is not empty. */
  held: boolean;
  onJoined(): void;
  onLeave(): void;
}): JSX.Element {
  const [problem, setProblem] = createSignal<JoinProblem | null>(props.held ? holdsAnother : null);
  const [joining, setJoining] = createSignal(false);
  const [said, setSaid] = createSignal('');
  const join = async (): Promise<void> => {
    setProblem(null);
    setSaid('');
    setJoining(true);
    try {
      await props.gsv.acceptInvite(props.secret, setSaid);
      props.onJoined();
    } catch (thrown) {
      setProblem(joinProblem(thrown));
    } finally {
      setJoining(false);
    }
  };
  return (
    <main class="gate" id="main">
      <div class="gate-card">
        <Switch fallback={<Question onJoin={() => void join()} onLeave={props.onLeave} />}>
          <Match when={joining()}>
            <Fetching said={said()} />
          </Match>
          <Match when={problem()} keyed>
            {(shown) => (
              <Problem
                problem={shown}
                held={props.held || shown === holdsAnother}
                onAgain={() => void join()}
                onLeave={props.onLeave}
              />
            )}
          </Match>
        </Switch>
      </div>
    </main>
  );
}

function Question(props: { onJoin(): void; onLeave(): void }): JSX.Element {
  return (
    <>
      <header>
        <p class="brand-mark">GSV</p>
        <h1>Open your GSV here</h1>
        <p class="hint">
          An invitation from <strong>{location.host}</strong>. This browser will hold the whole of that GSV:
          its conversations, files and settings. It works here also without network, and stays the same as the
          others.
        </p>
      </header>
      <button type="button" class="button primary wide" ref={focusSoon} onClick={() => props.onJoin()}>
        Open it here
      </button>
      <p class="gate-foot">
        Not yours?{' '}
        <button type="button" class="text-button" onClick={() => props.onLeave()}>
          Begin a GSV of your own
        </button>
      </p>
    </>
  );
}

function Fetching(props: { said: string }): JSX.Element {
  return (
    <>
      <header>
        <p class="brand-mark">GSV</p>
        <h1>Fetching your GSV</h1>
      </header>
      <div class="bar endless" role="progressbar" aria-label="Fetching your GSV">
        <i />
      </div>
      <p class="hint" role="status">
        {props.said === '' ? 'This takes a moment. Keep the page open.' : `${props.said}…`}
      </p>
    </>
  );
}

const steps = [
  'Export what is here: Settings, Storage, “Export everything”.',
  'Remove it: Settings, Storage, “Remove GSV from this browser”.',
  'Open the link again, or a new one when ten minutes are over.',
];

function Problem(props: {
  problem: JoinProblem;
  held: boolean;
  onAgain(): void;
  onLeave(): void;
}): JSX.Element {
  return (
    <>
      <header>
        <p class="brand-mark">GSV</p>
        <h1>{props.problem.title}</h1>
        <p class="problem-text" role="alert">
          <Dot tone={props.held ? 'wait' : 'bad'} />
          <span>{props.problem.text}</span>
        </p>
      </header>
      <Show when={props.held}>
        <div>
          <p class="hint">To hold the other GSV here instead:</p>
          <ol class="gate-steps">
            <For each={steps}>{(step) => <li>{step}</li>}</For>
          </ol>
        </div>
      </Show>
      <div class="form-actions">
        <button
          type="button"
          class="button"
          classList={{ primary: !props.problem.again }}
          onClick={() => props.onLeave()}
        >
          {props.held ? 'Go on with what is here' : 'Not now'}
        </button>
        <Show when={props.problem.again}>
          <button type="button" class="button primary" onClick={() => props.onAgain()}>
            Try again
          </button>
        </Show>
      </div>
    </>
  );
}
