import { createSignal, type JSX } from 'solid-js';
import { isWebAddress } from '../../../../shared/kernel/local/hub.ts';
import { usePage } from '../../context.ts';
import { fileBytes, sizeWords } from '../../live/local-models.ts';
import { AddressField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { AddCompiled } from './add-compiled.tsx';
import { MirrorForm } from './mirror.tsx';

/** Reading and hashing some gigabytes takes minutes. */
const IMPORT_MS = 60 * 60_000;

/** A GGUF file by address or from this person's disk, a model for WebLLM, and the mirror for networks that do not reach the hub. */
export function AddModel(props: { onChanged(): void }): JSX.Element {
  return (
    <>
      <ByAddress onChanged={props.onChanged} />
      <ImportFile onChanged={props.onChanged} />
      <AddCompiled onChanged={props.onChanged} />
      <MirrorForm />
    </>
  );
}

function ByAddress(props: { onChanged(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [address, setAddress] = createSignal('');
  const [sha256, setSha256] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  const add = async (): Promise<void> => {
    const given = address().trim();
    const web = isWebAddress(given);
    const hash = sha256().trim().toLowerCase();
    setProblem(web ? null : 'An address such as https://huggingface.co/…/model.gguf.');
    if (!web) return;
    const done = await notices.attempt('The download did not begin', () =>
      gsv.call('ai.local.add', { address: given, ...(hash === '' ? {} : { sha256: hash }) }),
    );
    if (done !== null) setAddress('');
    props.onChanged();
  };
  return (
    <Form novalidate onSubmit={() => void add()}>
      <AddressField
        label="Address of a GGUF file"
        placeholder="https://huggingface.co/…/resolve/main/model.gguf"
        problem={problem()}
        value={address()}
        onValue={setAddress}
      />
      <div class="with-button">
        <TextField
          label="SHA-256"
          mono
          spellcheck={false}
          hint="Optional. With it, a damaged or exchanged file is refused."
          value={sha256()}
          onValue={setSha256}
        />
        <button type="submit" class="button">
          Download
        </button>
      </div>
    </Form>
  );
}

function ImportFile(props: { onChanged(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [words, setWords] = createSignal('');
  let input: HTMLInputElement | undefined;
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setWords(`Storing ${file.name}, ${sizeWords(file.size)}…`);
    const done = await notices.attempt('The file was not imported', () =>
      gsv.call('ai.local.import', { name: file.name }, { bytes: fileBytes(file), timeoutMs: IMPORT_MS }),
    );
    setWords(done === null ? '' : `${file.name} is on this device now.`);
    props.onChanged();
  };
  return (
    <div class="export-line">
      <input
        ref={input}
        type="file"
        accept=".gguf"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="GGUF file"
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = '';
        }}
      />
      <button type="button" class="button" onClick={() => input?.click()}>
        Import a file
      </button>
      <span class="hint" role="status">
        {words()}
      </span>
    </div>
  );
}
