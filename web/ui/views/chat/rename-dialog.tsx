import { createSignal, type JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useChat } from './chat-context.ts';

/** Gives the conversation that is shown another name. */
export function RenameDialog(props: { title: string; onClose(): void }): JSX.Element {
  const { gsv, notices } = usePage();
  const { place } = useChat();
  const [title, setTitle] = createSignal(props.title);
  const rename = async (): Promise<void> => {
    const name = title().trim();
    if (name === '') return;
    const renamed = await notices.attempt('It was not renamed', () =>
      gsv.call('proc.conversation.open', { ...place(), title: name }),
    );
    if (renamed !== null) props.onClose();
  };
  return (
    <Dialog title="Rename this conversation" onClose={props.onClose}>
      <Form onSubmit={() => void rename()}>
        <TextField label="Name" maxLength={200} autofocus value={title()} onValue={setTitle} />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={title().trim() === ''}>
            Rename
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
