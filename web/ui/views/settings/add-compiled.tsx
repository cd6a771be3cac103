import { createSignal, type JSX } from 'solid-js';
import { isWebAddress } from '../../../../shared/kernel/local/hub.ts';
import { usePage } from '../../context.ts';
import { AddressField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';

/** A model that somebody compiled for WebLLM: its weights and its program lie at two addresses. */
export function AddCompiled(props: { onChanged(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const [weights, setWeights] = createSignal('');
  const [program, setProgram] = createSignal('');
  const [problems, setProblems] = createSignal<{ weights?: string; program?: string }>({});
  const add = async (): Promise<void> => {
    const address = weights().trim();
    const library = program().trim();
    const found = {
      ...(isWebAddress(address)
        ? {}
        : { weights: 'An address such as https://huggingface.co/mlc-ai/NAME-MLC.' }),
      ...(isWebAddress(library) ? {} : { program: 'An address such as https://…/NAME-webgpu.wasm.' }),
    };
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    const begun = await notices.attempt('The download did not begin', () =>
      gsv.call('ai.local.add', { address, library }),
    );
    if (begun !== null) {
      setWeights('');
      setProgram('');
    }
    props.onChanged();
  };
  return (
    <details class="more">
      <summary>A model compiled for the graphics processor (WebLLM)</summary>
      <Form novalidate onSubmit={() => void add()}>
        <AddressField
          label="Address of its weights"
          placeholder="https://huggingface.co/mlc-ai/NAME-MLC"
          hint="Its page on the hub, or the folder that holds mlc-chat-config.json."
          problem={problems().weights ?? null}
          value={weights()}
          onValue={setWeights}
        />
        <AddressField
          label="Address of its program"
          placeholder="https://…/NAME-ctx4k_cs1k-webgpu.wasm"
          hint="Compiled for WebLLM 0.2.86. It runs inside this page: take it from whom you trust."
          problem={problems().program ?? null}
          value={program()}
          onValue={setProgram}
        />
        <div class="form-actions start">
          <button type="submit" class="button">
            Download the model
          </button>
        </div>
      </Form>
    </details>
  );
}
