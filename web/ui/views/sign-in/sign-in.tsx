import { createSignal, type JSX } from 'solid-js';
import { messageOf, SyscallError } from '../../../../shared/protocol/errors.ts';
import type { Gsv } from '../../../client/gsv.ts';
import { TextField } from '../../parts/field.tsx';

export function SignInView(props: { gsv: Gsv; onSignedIn(): void }): JSX.Element {
  const [username, setUsername] = createSignal('');
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
      <form
        class="gate-card form"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <header>
          <p class="brand-mark">GSV</p>
          <h1>Sign in</h1>
        </header>
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
      </form>
    </main>
  );
}
