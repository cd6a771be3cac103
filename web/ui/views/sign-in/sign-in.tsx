import { createSignal, type JSX, onMount, Show } from 'solid-js';
import { messageOf, SyscallError } from '../../../../shared/protocol/errors.ts';
import type { Gsv } from '../../../client/gsv.ts';
import type { Status } from '../../live/status.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Dot } from '../../parts/small.tsx';
import { fullTime } from '../../parts/words.ts';

export function SignInView(props: { gsv: Gsv; onSignedIn(): void }): JSX.Element {
  const [username, setUsername] = createSignal('');
  const [status, setStatus] = createSignal<Status>();
  onMount(() => void props.gsv.call('sys.status', {}).then(setStatus, () => {}));
  const [password, setPassword] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [busy, setBusy] = createSignal(false);
  const signIn = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await props.gsv.signIn(username().trim(), password());
      props.onSignedIn();
    } catch (thrown) {
      const refused = thrown instanceof SyscallError && thrown.code === 401;
      setProblem(refused ? 'This name and password do not belong together.' : messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="gate" id="main">
      <Form class="gate-card form" onSubmit={() => void signIn()}>
        <header>
          <p class="brand-mark">GSV</p>
          <h1>Sign in</h1>
        </header>
        <Show when={status()?.locked ? status() : undefined}>{(shown) => <ShutOut status={shown()} />}</Show>
        <TextField
          label="Username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          autofocus
          value={username()}
          onValue={setUsername}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          value={password()}
          problem={problem()}
          onValue={setPassword}
        />
        <button type="submit" class="button primary wide" disabled={busy()}>
          {busy() ? 'Signing in…' : 'Sign in'}
        </button>
      </Form>
    </main>
  );
}

/** Why the page asks for the password although nobody has signed out. */
function ShutOut(props: { status: Status }): JSX.Element {
  const since = (): string =>
    props.status.linkSince === null ? '' : ` on ${fullTime(props.status.linkSince)}`;
  return (
    <div class="notice bad" role="note">
      <Dot tone="bad" />
      <p>
        <strong>This browser was shut out{since()}.</strong> Your password opens what is stored here. It no
        longer receives changes, and sends none. To bring it back, remove GSV from it (Settings, Storage) and
        open a new link from “Add a browser”.
      </p>
    </div>
  );
}
