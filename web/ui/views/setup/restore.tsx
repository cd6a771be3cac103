import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import type { Result } from '../../../../shared/syscalls/table.ts';
import type { Gsv } from '../../../client/gsv.ts';
import { passwordProblem } from '../../live/account.ts';
import { counted } from '../../live/files.ts';
import { restoreProblem } from '../../live/storage.ts';
import { TextField } from '../../parts/field.tsx';
import { Form, Problem } from '../../parts/form.tsx';
import { Bar } from '../../parts/small.tsx';
import { bytes } from '../../parts/words.ts';
import { RestoredView } from './restored.tsx';
import { SealChoice } from './seal-choice.tsx';

/** A large file on a slow phone. */
const RESTORE_MS = 60 * 60_000;

/** Fills this empty browser from a file that “Export everything” has made. */
export function RestoreView(props: { gsv: Gsv; onBack(): void; onDone(): void }): JSX.Element {
  const [restored, setRestored] = createSignal<Result<'sys.import'>>();
  return (
    <main class="gate" id="main">
      <Show
        when={restored()}
        fallback={<RestoreForm gsv={props.gsv} onBack={props.onBack} onRestored={setRestored} />}
      >
        {(result) => <RestoredView result={result()} onDone={props.onDone} />}
      </Show>
    </main>
  );
}

function RestoreForm(props: {
  gsv: Gsv;
  onBack(): void;
  onRestored(result: Result<'sys.import'>): void;
}): JSX.Element {
  const [file, setFile] = createSignal<File | null>(null);
  const [password, setPassword] = createSignal('');
  const [sealed, setSealed] = createSignal(true);
  const [weak, setWeak] = createSignal<string | null>(null);
  const [read, setRead] = createSignal<number | null>(null);
  const [problem, setProblem] = createSignal('');
  const busy = (): boolean => read() !== null;
  const restore = async (chosen: File): Promise<void> => {
    setProblem('');
    setRead(0);
    try {
      const options = { bytes: counted(chosen, setRead), timeoutMs: RESTORE_MS };
      const args = { size: chosen.size, password: password(), sealed: sealed() };
      const result = await props.gsv.call('sys.import', args, options);
      await props.gsv.signIn(result.username, password());
      props.onRestored(result);
    } catch (thrown) {
      setProblem(restoreProblem(thrown));
      setRead(null);
    }
  };
  const submit = (): void => {
    const chosen = file();
    setWeak(passwordProblem(password()));
    if (chosen !== null && weak() === null && !busy()) void restore(chosen);
  };
  return (
    <Form class="gate-card form" novalidate onSubmit={() => submit()}>
      <header>
        <p class="brand-mark">GSV</p>
        <h1>Restore from a file</h1>
        <p class="hint">
          A file that “Export everything” has made: all conversations, files and settings. Passwords, keys and
          tokens are not in it.
        </p>
      </header>
      <FileField
        disabled={busy()}
        words={stateWords(file(), read())}
        onFile={(chosen) => {
          setFile(chosen);
          setProblem('');
        }}
      />
      <Bar value={share(file(), read())} label="Restored" />
      <TextField
        label="New password"
        type="password"
        autocomplete="new-password"
        hint="For the account in the file. At least 8 characters."
        disabled={busy()}
        value={password()}
        problem={weak()}
        onValue={setPassword}
      />
      <SealChoice sealed={sealed()} onSealed={setSealed} />
      <Problem text={problem()} />
      <div class="form-actions">
        <button type="button" class="button" disabled={busy()} onClick={() => props.onBack()}>
          Back
        </button>
        <button type="submit" class="button primary" disabled={file() === null || busy()}>
          {busy() ? 'Restoring…' : 'Restore'}
        </button>
      </div>
    </Form>
  );
}

function FileField(props: {
  disabled: boolean;
  words: string;
  onFile(file: File | null): void;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label for={id}>Exported file</label>
      <input
        id={id}
        class="input file"
        type="file"
        accept=".zip,application/zip"
        disabled={props.disabled}
        aria-describedby={`${id}-state`}
        onChange={(event) => props.onFile(event.currentTarget.files?.item(0) ?? null)}
      />
      <p class="hint" id={`${id}-state`} role="status">
        {props.words}
      </p>
    </div>
  );
}

function share(file: File | null, read: number | null): number {
  return file === null || read === null || file.size === 0 ? 0 : read / file.size;
}

function stateWords(file: File | null, read: number | null): string {
  if (file === null) return 'Its name ends in .zip.';
  if (read === null) return bytes(file.size);
  if (read < file.size) return `${bytes(read)} of ${bytes(file.size)}`;
  return `${bytes(file.size)} read; putting it in place…`;
}
