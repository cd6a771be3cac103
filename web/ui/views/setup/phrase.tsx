import { createSignal, type JSX, Show } from 'solid-js';
import type { Gsv } from '../../../client/gsv.ts';
import { phraseProblem } from '../../live/inviting.ts';
import { Form } from '../../parts/form.tsx';
import { TextArea } from '../../parts/text-area.tsx';

/** Brings a sealed GSV into this empty browser when every other one is lost. */
export function PhraseView(props: { gsv: Gsv; onBack(): void; onDone(): void }): JSX.Element {
  const [phrase, setPhrase] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const [said, setSaid] = createSignal<string | null>(null);
  const restore = async (): Promise<void> => {
    setProblem(null);
    setSaid('');
    try {
      await props.gsv.acceptInvite(phrase().trim(), setSaid);
      props.onDone();
    } catch (thrown) {
      setProblem(phraseProblem(thrown));
    } finally {
      setSaid(null);
    }
  };
  const busy = (): boolean => said() !== null;
  return (
    <main class="gate" id="main">
      <Form
        class="gate-card form"
        novalidate
        onSubmit={() => {
          if (!busy()) void restore();
        }}
      >
        <header>
          <p class="brand-mark">GSV</p>
          <h1>Recovery phrase</h1>
          <p class="hint">
            The 24 words that you wrote down bring what the server {location.host} keeps back into this
            browser.
          </p>
        </header>
        <TextArea
          label="Your 24 words"
          rows={5}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          disabled={busy()}
          value={phrase()}
          problem={problem()}
          hint="In their order, with spaces between them."
          onValue={setPhrase}
        />
        <Show when={busy()}>
          <div class="bar endless" role="progressbar" aria-label="Fetching your GSV">
            <i />
          </div>
          <p class="hint" role="status">
            {said() || 'This takes a moment. Keep the page open.'}
          </p>
        </Show>
        <div class="form-actions">
          <button type="button" class="button" disabled={busy()} onClick={() => props.onBack()}>
            Back
          </button>
          <button type="submit" class="button primary" disabled={busy() || phrase().trim() === ''}>
            {busy() ? 'Fetching…' : 'Bring it back'}
          </button>
        </div>
      </Form>
    </main>
  );
}
