import { createSignal, type JSX, Show, splitProps } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { usePage } from '../../context.ts';
import { newPasswordProblems } from '../../live/account.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';

const EVERYWHERE = 'From now on your new password counts in all your browsers.';
const HERE =
  'From now on your new password counts in this browser. Your other browsers keep the one they have.';

/** A button that opens the form. */
export function ChangePassword(): JSX.Element {
  const [open, setOpen] = createSignal(false);
  return (
    <Show
      when={open()}
      fallback={
        <div class="form-actions start">
          <button type="button" class="button" onClick={() => setOpen(true)}>
            Change password
          </button>
        </div>
      }
    >
      <PasswordChange onDone={() => setOpen(false)} />
    </Show>
  );
}

function PasswordChange(props: { onDone(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [now, setNow] = createSignal('');
  const [password, setPassword] = createSignal('');
  const [repeated, setRepeated] = createSignal('');
  const [problems, setProblems] = createSignal<{ now?: string; password?: string; repeated?: string }>({});
  const [busy, setBusy] = createSignal(false);
  const change = async (): Promise<void> => {
    const wrong = newPasswordProblems({ password: password(), repeated: repeated() });
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    try {
      const { everywhere } = await gsv.call('sys.password.change', { password: now(), next: password() });
      notices.good(everywhere ? EVERYWHERE : HERE);
      props.onDone();
    } catch (thrown) {
      setProblems({ now: messageOf(thrown) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Form onSubmit={() => void change()}>
      <PasswordField
        label="Your password now"
        autocomplete="current-password"
        autofocus
        value={now()}
        problem={problems().now}
        onValue={setNow}
      />
      <PasswordField
        label="New password"
        hint="At least 8 characters."
        value={password()}
        problem={problems().password}
        onValue={setPassword}
      />
      <PasswordField
        label="Repeat the new password"
        value={repeated()}
        problem={problems().repeated}
        onValue={setRepeated}
      />
      <div class="form-actions start">
        <button type="submit" class="button primary" disabled={busy()}>
          {busy() ? 'A moment…' : 'Change it'}
        </button>
        <button type="button" class="button" onClick={() => props.onDone()}>
          Cancel
        </button>
      </div>
    </Form>
  );
}

function PasswordField(props: {
  label: string;
  value: string;
  problem: string | undefined;
  hint?: string;
  autocomplete?: 'current-password' | 'new-password';
  autofocus?: boolean;
  onValue(value: string): void;
}): JSX.Element {
  const [own, field] = splitProps(props, ['problem']);
  return (
    <TextField
      type="password"
      autocomplete="new-password"
      required
      problem={own.problem ?? null}
      {...field}
    />
  );
}
