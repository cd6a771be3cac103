import { createSignal, type JSX, Match, onCleanup, onMount, Show, Switch } from 'solid-js';
import { messageOf } from '../../shared/protocol/errors.ts';
import type { Attachment, Gsv } from '../client/gsv.ts';
import { PageContext } from './context.ts';
import { createPage } from './create-page.ts';
import { AccountView } from './views/setup/account.tsx';
import { SetupSteps } from './views/setup/steps.tsx';
import { Frame } from './views/shell/frame.tsx';
import { SignInView } from './views/sign-in/sign-in.tsx';

type Session = 'looking' | 'setup' | 'signed-out' | 'signed-in' | 'failed';

/** The whole page: who is here decides what is shown. */
export function App(props: { gsv: Gsv }): JSX.Element {
  const [session, setSession] = createSignal<Session>('looking');
  const [problem, setProblem] = createSignal('');
  const [fresh, setFresh] = createSignal(false);
  const look = (): void => {
    setSession('looking');
    props.gsv.session().then(setSession, (thrown) => {
      setProblem(messageOf(thrown));
      setSession('failed');
    });
  };
  onMount(look);
  return (
    <Switch>
      <Match when={session() === 'setup'}>
        <AccountView
          gsv={props.gsv}
          onDone={() => {
            setFresh(true);
            setSession('signed-in');
          }}
        />
      </Match>
      <Match when={session() === 'signed-in'}>
        <SignedIn gsv={props.gsv} fresh={fresh()} onSignedOut={() => setSession('signed-out')} />
      </Match>
      <Match when={session() === 'signed-out'}>
        <SignInView
          gsv={props.gsv}
          onSignedIn={() => {
            setFresh(false);
            setSession('signed-in');
          }}
        />
      </Match>
      <Match when={session() === 'failed'}>
        <Problem text={problem()} onRetry={look} />
      </Match>
      <Match when={session() === 'looking'}>
        <Starting gsv={props.gsv} />
      </Match>
    </Switch>
  );
}

/** A new account goes on with the wizard's other steps; then, as for everybody, the page itself. */
function SignedIn(props: { gsv: Gsv; fresh: boolean; onSignedOut(): void }): JSX.Element {
  const [steps, setSteps] = createSignal(props.fresh);
  const page = createPage(props.gsv, props.onSignedOut);
  return (
    <PageContext.Provider value={page}>
      <Show when={!steps()} fallback={<SetupSteps onDone={() => setSteps(false)} />}>
        <Frame />
      </Show>
    </PageContext.Provider>
  );
}

function Starting(props: { gsv: Gsv }): JSX.Element {
  const [state, setState] = createSignal<{ attachment: Attachment; reason: string }>({
    attachment: 'attaching',
    reason: '',
  });
  onCleanup(props.gsv.onAttachment((attachment, reason) => setState({ attachment, reason })));
  return (
    <main class="gate starting" aria-busy="true">
      <p class="brand-mark">GSV</p>
      <p class="hint" role="status">
        {state().attachment === 'failed' ? `The kernel did not start: ${state().reason}` : 'Starting…'}
      </p>
    </main>
  );
}

function Problem(props: { text: string; onRetry(): void }): JSX.Element {
  return (
    <main class="gate">
      <p class="brand-mark">GSV</p>
      <p role="alert">GSV could not start: {props.text}</p>
      <button type="button" class="button primary" onClick={() => props.onRetry()}>
        Try again
      </button>
    </main>
  );
}
