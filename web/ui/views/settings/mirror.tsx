import { createSignal, type JSX, onMount } from 'solid-js';
import { HUB, isWebAddress, mirroredPaths } from '../../../../shared/kernel/local/hub.ts';
import { usePage } from '../../context.ts';
import { readAi, writeAi } from '../../live/local-models.ts';
import { AddressField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';

/** Where files of models come from in networks that do not reach the hub. */
export function MirrorForm(): JSX.Element {
  const page = usePage();
  const [mirror, setMirror] = createSignal('');
  const [problem, setProblem] = createSignal<string | null>(null);
  onMount(() => void readAi(page, 'model_mirror').then(setMirror, () => {}));
  const save = async (): Promise<void> => {
    const given = mirror().trim();
    const fits = given === '' || isWebAddress(given);
    setProblem(fits ? null : 'An address such as https://mirror.example.org, or nothing.');
    if (!fits) return;
    const saved = await page.notices.attempt('The mirror was not saved', async () => {
      await writeAi(page, 'model_mirror', given);
      return true;
    });
    if (saved) page.notices.good('The mirror is saved.');
  };
  return (
    <details class="more">
      <summary>A mirror for networks that do not reach Hugging Face</summary>
      <Form novalidate onSubmit={() => void save()}>
        <div class="with-button">
          <AddressField
            label="Mirror"
            placeholder="https://mirror.example.org"
            hint={`Stands in for ${HUB}. Empty: the hub itself.`}
            problem={problem()}
            value={mirror()}
            onValue={setMirror}
          />
          <button type="submit" class="button">
            Save
          </button>
        </div>
      </Form>
      <MirrorWords />
    </details>
  );
}

function MirrorWords(): JSX.Element {
  const { files, listing, programs } = mirroredPaths();
  return (
    <div class="hint mirror-words">
      <p>It answers at the same paths as the hub, and lets pages of other origins read (CORS):</p>
      <dl>
        <dt>{files}</dt>
        <dd>The files of models. Where it knows ranges, a download that broke off goes on where it was.</dd>
        <dt>{listing}</dt>
        <dd>Their sizes and SHA-256. Without it, files are not compared with what was published.</dd>
        <dt>{programs}</dt>
        <dd>The programs of models for the graphics processor, which otherwise come from GitHub.</dd>
      </dl>
    </div>
  );
}
