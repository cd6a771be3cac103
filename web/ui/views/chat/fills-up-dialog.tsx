import { createSignal, For, type JSX, Show } from 'solid-js';
import type { ContextPolicy } from '../../../../shared/syscalls/conversation.ts';
import { usePage } from '../../context.ts';
import { createAsked } from '../../parts/asked.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useChat } from './chat-context.ts';

type Overflow = ContextPolicy['overflow'];

const choices: readonly { id: Overflow; name: string; means: string }[] = [
  {
    id: 'manual',
    name: 'Leave the oldest messages out',
    means: 'The model no longer sees the beginning. Nothing is archived until you say so.',
  },
  {
    id: 'auto-compact',
    name: 'Summarise the oldest messages',
    means:
      'They go to the archive, and a summary by the model stands in their place. That costs a model call.',
  },
  {
    id: 'fail',
    name: 'Stop and tell me',
    means: 'The run ends. You decide what is archived, or begin anew.',
  },
];
const PARTS = [0.5, 0.75, 0.9];

/** What happens when the conversation no longer fits what the model can read. */
export function FillsUpDialog(props: { onClose(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const { about } = useChat();
  const known = createAsked(() =>
    notices.attempt('The setting could not be read', () => gsv.call('proc.conversation.policy.get', about())),
  );
  return (
    <Dialog title="When it fills up" onClose={props.onClose}>
      <Show when={known.latest()?.policy}>
        {(policy) => <Policy policy={policy()} onClose={props.onClose} />}
      </Show>
    </Dialog>
  );
}

function Policy(props: { policy: ContextPolicy; onClose(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const { about } = useChat();
  const [overflow, setOverflow] = createSignal<Overflow>(props.policy.overflow);
  const [from, setFrom] = createSignal(String(props.policy.compactAtPressure));
  const [keep, setKeep] = createSignal(String(props.policy.keepLast));
  const keepProblem = (): string | null =>
    /^[1-9]\d{0,3}$/.test(keep().trim()) ? null : 'Write a number from 1 to 9999';
  const parts = (): number[] =>
    [...new Set([...PARTS, props.policy.compactAtPressure])].sort((a, b) => a - b);
  const save = async (): Promise<void> => {
    if (overflow() === 'auto-compact' && keepProblem() !== null) return;
    const detail =
      overflow() === 'auto-compact' ? { compactAtPressure: Number(from()), keepLast: Number(keep()) } : {};
    const saved = await notices.attempt('The setting was not saved', () =>
      gsv.call('proc.conversation.policy.set', { ...about(), overflow: overflow(), ...detail }),
    );
    if (saved !== null) props.onClose();
  };
  return (
    <Form onSubmit={() => void save()}>
      <fieldset class="options">
        <legend>When this conversation no longer fits what the model can read</legend>
        <For each={choices}>
          {({ id, name, means }) => (
            <label class="option">
              <input
                type="radio"
                name="overflow"
                checked={overflow() === id}
                onChange={() => setOverflow(id)}
              />
              <span>
                {name}
                <small>{means}</small>
              </span>
            </label>
          )}
        </For>
      </fieldset>
      <Show when={overflow() === 'auto-compact'}>
        <div class="columns">
          <SelectField label="As soon as it is" value={from()} onValue={setFrom}>
            <For each={parts()}>
              {(part) => (
                <option value={String(part)} selected={String(part) === from()}>
                  {Math.round(part * 100)} % full
                </option>
              )}
            </For>
          </SelectField>
          <TextField
            label="Newest messages that stay"
            inputMode="numeric"
            value={keep()}
            problem={keepProblem()}
            onValue={setKeep}
          />
        </div>
      </Show>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          Cancel
        </button>
        <button type="submit" class="button primary">
          Save
        </button>
      </div>
    </Form>
  );
}
