import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { Choices } from '../../parts/choices.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { useChat } from './chat-context.ts';
import { compactConversation, KEEP_LAST } from './compact.ts';

const writers = [
  { id: 'model', name: 'Written by the model' },
  { id: 'own', name: 'In my words' },
] as const;
type Writer = (typeof writers)[number]['id'];

/** Archives the beginning of the conversation behind a summary, by the model or the person's own. */
export function CompactDialog(props: { onClose(): void }): JSX.Element {
  const page = usePage();
  const { about, conversation } = useChat();
  const count = conversation.olderCount() + conversation.rows().length;
  const [writer, setWriter] = createSignal<Writer>('model');
  const [summary, setSummary] = createSignal('');
  const [keep, setKeep] = createSignal(String(Math.min(KEEP_LAST, Math.floor(count / 2))));
  const [problem, setProblem] = createSignal<string | null>(null);
  const [busy, setBusy] = createSignal(false);
  const keepProblem = (): string | null =>
    /^\d{1,5}$/.test(keep().trim()) && Number(keep()) < count
      ? null
      : `Write a number below ${count}, which is how many messages there are`;
  const compact = async (): Promise<void> => {
    const own = writer() === 'own';
    setProblem(own && summary().trim() === '' ? 'Write what is to be remembered' : null);
    if (problem() !== null || keepProblem() !== null) return;
    setBusy(true);
    const done = await compactConversation(page, about(), {
      keepLast: Number(keep()),
      ...(own ? { summary: summary() } : {}),
    });
    setBusy(false);
    if (done) props.onClose();
  };
  return (
    <Dialog title="Compact this conversation" onClose={props.onClose}>
      <Show when={count > 1} fallback={<p class="dialog-text">There is nothing to compact yet.</p>}>
        <Form onSubmit={() => void compact()}>
          <p class="dialog-text">
            The oldest messages go to the archive, where they can be read and searched. A summary stands in
            their place, and is what the model reads of them.
          </p>
          <Choices legend="Summary" choices={writers} value={writer()} onValue={setWriter} />
          <Show when={writer() === 'own'}>
            <TextArea
              label="What is to be remembered"
              mono={false}
              placeholder="We chose the blue one. The order number is 4711; it arrives on Friday."
              value={summary()}
              problem={problem()}
              onValue={(text) => {
                setSummary(text);
                setProblem(null);
              }}
            />
          </Show>
          <TextField
            label="Newest messages that stay as they are"
            inputMode="numeric"
            value={keep()}
            problem={keepProblem()}
            onValue={setKeep}
          />
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => props.onClose()}>
              Cancel
            </button>
            <button type="submit" class="button primary" disabled={busy()}>
              {busy() && writer() === 'model' ? 'Summarising…' : 'Compact'}
            </button>
          </div>
        </Form>
      </Show>
    </Dialog>
  );
}
