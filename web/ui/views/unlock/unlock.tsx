import { createSignal, type JSX, onMount, Show } from 'solid-js';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import type { Gsv } from '../../../client/gsv.ts';
import { hasApproval } from '../../../service-worker/approval.ts';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Dot } from '../../parts/small.tsx';

/** What stands before everything while what this browser stores is locked. */
export function UnlockView(props: { gsv: Gsv }): JSX.Element {
  const [password, setPassword] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [busy, setBusy] = createSignal(false);
  const [approved, setApproved] = createSignal(false);
  onMount(() => void hasApproval(globalThis.caches).then(setApproved, () => {}));
  let form: HTMLFormElement | undefined;
  const unlock = async (): Promise<void> => {
    setBusy(true);
    setProblem(null);
    try {
      await props.gsv.unlock(password());
    } catch (thrown) {
      setProblem(messageOf(thrown));
      form?.querySelector('input')?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="gate" id="main">
      <Form ref={form} class="gate-card form" onSubmit={() => void unlock()}>
        <header>
          <p class="brand-mark">GSV</p>
          <h1>Locked</h1>
        </header>
        <p class="hint">Your password opens what this browser stores. Until then GSV does nothing here.</p>
        <Show when={approved()}>
          <div class="notice" role="note">
            <Dot tone="wait" />
            <p>You approved something in a notification. It is given once you have unlocked.</p>
          </div>
        </Show>
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          value={password()}
          problem={problem()}
          onValue={setPassword}
        />
        <button type="submit" class="button primary wide" disabled={busy()}>
          {busy() ? 'Unlocking…' : 'Unlock'}
        </button>
        <Forgotten gsv={props.gsv} />
      </Form>
    </main>
  );
}

/** The way out for whoever does not know the password any more: an empty browser. */
function Forgotten(props: { gsv: Gsv }): JSX.Element {
  const [asked, setAsked] = createSignal(false);
  const remove = async (): Promise<void> => {
    await props.gsv.removeLocked();
    location.assign('/');
  };
  return (
    <Show
      when={asked()}
      fallback={
        <button type="button" class="text-button" onClick={() => setAsked(true)}>
          I do not know the password
        </button>
      }
    >
      <div class="notice bad" role="note">
        <Dot tone="bad" />
        <p>
          <strong>Nobody can open it without the password.</strong> You can remove GSV from this browser and
          begin anew, or bring it back by “Add a browser” in another one. What only this browser has is lost.
        </p>
      </div>
      <div class="form-actions">
        <button type="button" class="button" onClick={() => setAsked(false)}>
          Cancel
        </button>
        <button type="button" class="button danger" onClick={() => void remove()}>
          Remove GSV from this browser
        </button>
      </div>
    </Show>
  );
}
