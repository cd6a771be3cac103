import { createSignal, For, type JSX, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import type { Gsv } from '../../../client/gsv.ts';
import {
  type AccountProblems,
  accountProblems,
  guessedTimezone,
  type NewAccount,
} from '../../live/account.ts';
import { TextField } from '../../parts/field.tsx';
import { Form, Problem } from '../../parts/form.tsx';
import { claimSecret } from '../../route.ts';
import { SealChoice } from './seal-choice.tsx';
import { StepsBar } from './steps-bar.tsx';

/** The first step of a fresh GSV, and the only one that cannot be skipped: somebody has to own it. */
export function AccountView(props: {
  gsv: Gsv;
  onDone(): void;
  /** What is to be known first. */
  before?: JSX.Element;
  others?: JSX.Element;
}): JSX.Element {
  const [account, setAccount] = createStore<NewAccount>({
    username: '',
    password: '',
    repeated: '',
    rootPassword: '',
    timezone: guessedTimezone(),
  });
  const [sealed, setSealed] = createSignal(true);
  const [problems, setProblems] = createSignal<AccountProblems>({});
  const [failure, setFailure] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const create = async (): Promise<void> => {
    const found = accountProblems(account);
    setProblems(found);
    if (Object.keys(found).length > 0 || busy()) return;
    setBusy(true);
    setFailure('');
    try {
      const { username, password, rootPassword, timezone } = account;
      await props.gsv.setup({
        username,
        password,
        timezone,
        sealed: sealed(),
        ...(rootPassword === '' ? {} : { rootPassword }),
      });
      props.onDone();
    } catch (thrown) {
      setFailure(messageOf(thrown));
    } finally {
      setBusy(false);
    }
  };
  const field = (name: keyof NewAccount) => ({
    get value() {
      return account[name];
    },
    get problem() {
      return problems()[name] ?? null;
    },
    onValue: (value: string) => setAccount(name, value),
  });
  return (
    <main class="gate" id="main">
      <Form class="gate-card form" novalidate onSubmit={() => void create()}>
        <header>
          <p class="brand-mark">GSV</p>
          <StepsBar at="account" />
          <h1>Your account</h1>
          <p class="hint">
            GSV runs in this browser, and what it knows stays here. The account protects it, and lets you sign
            in from elsewhere.
            <Show when={claimSecret(location.hash) !== null}>
              {' '}
              Afterwards this browser joins the server {location.host}.
            </Show>
          </p>
        </header>
        {props.before}
        <TextField
          label="Username"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          autofocus
          {...field('username')}
        />
        <TextField
          label="Password"
          type="password"
          autocomplete="new-password"
          hint="At least 8 characters."
          {...field('password')}
        />
        <TextField
          label="Repeat the password"
          type="password"
          autocomplete="new-password"
          {...field('repeated')}
        />
        <SealChoice sealed={sealed()} onSealed={setSealed} />
        <details class="more">
          <summary>More: administrator, time zone</summary>
          <div class="form">
            <TextField
              label="Root password"
              type="password"
              autocomplete="new-password"
              hint="Optional. Without it nobody can act as root."
              {...field('rootPassword')}
            />
            <TextField label="Time zone" list="time-zones" {...field('timezone')} />
            <datalist id="time-zones">
              <For each={Intl.supportedValuesOf('timeZone')}>{(zone) => <option value={zone} />}</For>
            </datalist>
          </div>
        </details>
        <Problem text={failure()} />
        <button type="submit" class="button primary wide" disabled={busy()}>
          {busy() ? 'Setting up…' : 'Create account'}
        </button>
        {props.others}
      </Form>
    </main>
  );
}
