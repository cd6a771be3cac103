import { createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { usePage } from '../../context.ts';
import { LOCK_AFTER, lockAfterWords } from '../../live/disk-lock.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';

const MINUTES = 15;

/** Whether what this browser stores opens by the password alone. */
export function PasswordLock(): JSX.Element {
  const { disk } = usePage();
  const [form, setForm] = createSignal<'none' | 'on' | 'off'>('none');
  const close = (): void => void setForm('none');
  return (
    <Switch fallback={<p class="hint">This browser cannot ask for a password.</p>}>
      <Match when={disk() === undefined}>{null}</Match>
      <Match when={form() === 'on'}>
        <TurnOn onDone={close} />
      </Match>
      <Match when={form() === 'off'}>
        <TurnOff onDone={close} />
      </Match>
      <Match when={disk()?.password}>
        <Protected onTurnOff={() => setForm('off')} />
      </Match>
      <Match when={disk()?.available}>
        <div class="form-actions start">
          <button type="button" class="button" onClick={() => setForm('on')}>
            Ask for my password
          </button>
        </div>
      </Match>
    </Switch>
  );
}

function Protected(props: { onTurnOff(): void }): JSX.Element {
  const { gsv, notices, disk } = usePage();
  const lock = () => notices.attempt('It could not be locked', () => gsv.call('sys.disk.lock', {}));
  const lockAfter = (afterMinutes: number | null) =>
    notices.attempt('It was not saved', () => gsv.call('sys.disk.after', { afterMinutes }));
  return (
    <div class="form">
      <p class="hint" role="status">
        On: your password is asked for when GSV starts here.
      </p>
      <LockAfter value={disk()?.afterMinutes ?? null} onValue={(minutes) => void lockAfter(minutes)} />
      <div class="form-actions start">
        <button type="button" class="button" onClick={() => void lock()}>
          Lock now
        </button>
        <button type="button" class="button" onClick={() => props.onTurnOff()}>
          Stop asking
        </button>
      </div>
    </div>
  );
}

function TurnOn(props: { onDone(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [afterMinutes, setAfterMinutes] = createSignal<number | null>(MINUTES);
  return (
    <PasswordForm
      action="Turn on"
      onCancel={props.onDone}
      onPassword={async (password) => {
        await gsv.call('sys.disk.protect', { password, afterMinutes: afterMinutes() });
        notices.good('From now on this browser asks for your password.');
        props.onDone();
      }}
    >
      <LockAfter value={afterMinutes()} onValue={setAfterMinutes} />
      <p class="hint">
        While it is locked, GSV does nothing in this browser: what goes on is taken up when you unlock it, and
        schedules are left to your other browsers. Nobody can open it without the password, so what only this
        browser has is lost if you forget it. Drafts of messages, and copies from before an update, are not
        behind the password.
      </p>
    </PasswordForm>
  );
}

function TurnOff(props: { onDone(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  return (
    <PasswordForm
      action="Stop asking"
      onCancel={props.onDone}
      onPassword={async (password) => {
        await gsv.call('sys.disk.unprotect', { password });
        notices.good('This browser opens GSV by itself again.');
        props.onDone();
      }}
    />
  );
}

/** Asks for the account's password; what is wrong with it is said at its field. */
function PasswordForm(props: {
  action: string;
  onPassword(password: string): Promise<void>;
  onCancel(): void;
  children?: JSX.Element;
}): JSX.Element {
  const [password, setPassword] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [busy, setBusy] = createSignal(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    await props.onPassword(password()).catch((thrown) => setProblem(messageOf(thrown)));
    setBusy(false);
  };
  return (
    <Form onSubmit={() => void submit()}>
      <TextField
        label="Your password"
        type="password"
        autocomplete="current-password"
        required
        autofocus
        value={password()}
        problem={problem()}
        onValue={setPassword}
      />
      {props.children}
      <div class="form-actions start">
        <button type="submit" class="button primary" disabled={busy()}>
          {busy() ? 'A moment…' : props.action}
        </button>
        <button type="button" class="button" onClick={() => props.onCancel()}>
          Cancel
        </button>
      </div>
    </Form>
  );
}

function LockAfter(props: { value: number | null; onValue(minutes: number | null): void }): JSX.Element {
  return (
    <SelectField
      label="Lock it"
      value={String(props.value)}
      onValue={(value) => props.onValue(value === 'null' ? null : Number(value))}
    >
      <For each={LOCK_AFTER}>
        {(minutes) => (
          <option value={String(minutes)} selected={minutes === props.value}>
            {lockAfterWords(minutes)}
          </option>
        )}
      </For>
      <Show when={!LOCK_AFTER.includes(props.value)}>
        <option value={String(props.value)} selected>
          {lockAfterWords(props.value)}
        </option>
      </Show>
    </SelectField>
  );
}
