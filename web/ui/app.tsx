import {
  createEffect,
  createSignal,
  type JSX,
  lazy,
  Match,
  onCleanup,
  onMount,
  Suspense,
  Switch,
} from 'solid-js';
import { messageOf } from '../../shared/protocol/errors.ts';
import type { Attachment, Gsv } from '../client/gsv.ts';
import { noShell, type Shell } from '../client/shell.ts';
import { forgetSecret, inviteSecret } from './route.ts';
import { StartView } from './views/setup/start.tsx';
import { SignInView } from './views/sign-in/sign-in.tsx';

const UnlockView = lazy(async () => ({ default: (await import('./views/unlock/unlock.tsx')).UnlockView }));
const JoinView = lazy(async () => ({ default: (await import('./views/join/join.tsx')).JoinView }));

/** Most of the page. A form does without it, so it is fetched once somebody begins to fill one in. */
export const loadSignedIn = () => import('./signed-in.tsx');
const SignedIn = lazy(() => loadSignedIn().then(({ SignedIn: view }) => ({ default: view }), notLoaded));

type Session = 'looking' | 'setup' | 'signed-out' | 'signed-in' | 'failed';

/** The whole page: who is here decides what is shown, and before that the link that was opened. */
export function App(props: { gsv: Gsv; shell?: Shell }): JSX.Element {
  const [session, setSession] = createSignal<Session>('looking');
  const [problem, setProblem] = createSignal('');
  const [fresh, setFresh] = createSignal(false);
  const invite = createInviteLink();
  const look = (): void => {
    setSession('looking');
    props.gsv.session().then(setSession, (thrown) => {
      setProblem(messageOf(thrown));
      setSession('failed');
    });
  };
  const enter = (isFresh: boolean): void => {
    setFresh(isFresh);
    setSession('signed-in');
  };
  onMount(look);
  onMount(() => window.addEventListener('input', prefetch, { once: true }));
  onCleanup(() => window.removeEventListener('input', prefetch));
  onCleanup(followSession(props.gsv, session, () => setSession('signed-out')));
  // What every view begins with comes while the code of the views is fetched.
  createEffect(() => {
    if (session() === 'signed-in') onCleanup(props.gsv.watch({ view: 'processes' }, () => {}));
  });
  const locked = createLocked(props.gsv, () => session() === 'signed-in');
  const known = (): boolean => ['setup', 'signed-in', 'signed-out'].includes(session());
  return (
    <Suspense fallback={<Starting gsv={props.gsv} />}>
      <Switch>
        <Match when={locked()}>
          <UnlockView gsv={props.gsv} />
        </Match>
        <Match when={known() ? invite.secret() : null} keyed>
          {(secret) => (
            <JoinView
              gsv={props.gsv}
              secret={secret}
              held={session() !== 'setup'}
              onJoined={() => {
                enter(false);
                invite.leave();
              }}
              onLeave={invite.leave}
            />
          )}
        </Match>
        <Match when={session() === 'setup'}>
          <StartView gsv={props.gsv} onDone={() => enter(true)} onRestored={() => enter(false)} />
        </Match>
        <Match when={session() === 'signed-in'}>
          <SignedIn
            gsv={props.gsv}
            shell={props.shell ?? noShell}
            fresh={fresh()}
            onSignedOut={() => setSession('signed-out')}
          />
        </Match>
        <Match when={session() === 'signed-out'}>
          <SignInView gsv={props.gsv} onSignedIn={() => enter(false)} />
        </Match>
        <Match when={session() === 'failed'}>
          <Problem text={problem()} onRetry={look} />
        </Match>
        <Match when={session() === 'looking'}>
          <Starting gsv={props.gsv} />
        </Match>
      </Switch>
    </Suspense>
  );
}

/** What stands in place of a part of the page that did not come. */
function notLoaded(thrown: unknown): { default: () => JSX.Element } {
  return { default: () => <Problem text={messageOf(thrown)} onRetry={() => location.reload()} /> };
}

function prefetch(): void {
  void loadSignedIn().catch(() => {});
}

/** The secret of an invitation whose link was opened, also in a page that stands. It leaves the address bar at once. */
function createInviteLink() {
  const [secret, setSecret] = createSignal<string | null>(null);
  const take = (): void => {
    const found = inviteSecret(location.hash);
    if (found === null) return;
    forgetSecret();
    setSecret(found);
  };
  take();
  window.addEventListener('hashchange', take);
  onCleanup(() => window.removeEventListener('hashchange', take));
  return { secret, leave: () => setSecret(null) };
}

/**
 * Whether what this browser stores waits for its password. A page that shows something of it, when it is locked, begins
 * anew, so that nothing of that stays.
 */
function createLocked(gsv: Gsv, shows: () => boolean): () => boolean {
  const [locked, setLocked] = createSignal(false);
  onCleanup(
    gsv.onAttachment((attachment) => {
      if (attachment === 'locked' && shows()) location.reload();
      else if (attachment === 'locked') setLocked(true);
      else if (attachment === 'attached') setLocked(false);
    }),
  );
  return locked;
}

/** A session may end while the page stands: it was revoked, or this browser was shut out. The function ends it. */
function followSession(gsv: Gsv, session: () => Session, onEnded: () => void): () => void {
  return gsv.onAttachment((attachment) => {
    if (attachment !== 'attached' || session() !== 'signed-in') return;
    void gsv.session().then(
      (found) => {
        if (found !== 'signed-in' && session() === 'signed-in') onEnded();
      },
      () => {},
    );
  });
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
        {state().attachment === 'failed' ? `GSV did not start: ${state().reason}` : 'Starting…'}
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
