import { createSignal, type JSX, Show } from 'solid-js';
import { Form } from '../../parts/form.tsx';

/** A text with a button that turns it into a field, in its place. Escape gives up; focus comes back to the button. */
export function InlineEdit(props: {
  text: string;
  /** What the field is called. */
  label: string;
  /** What the button is called. */
  edit: string;
  /** What the button says. */
  word: string;
  maxLength: number;
  required?: boolean;
  fixed?: boolean;
  /** Resolves to null when it was not kept; the field stays open then. */
  onSave(text: string): Promise<unknown>;
  children: JSX.Element;
}): JSX.Element {
  const [text, setText] = createSignal<string | null>(null);
  let button: HTMLButtonElement | undefined;
  const close = (): void => {
    setText(null);
    queueMicrotask(() => button?.focus());
  };
  const save = async (): Promise<void> => {
    const typed = text()?.trim() ?? '';
    if (props.required && typed === '') return;
    if (typed === props.text || (await props.onSave(typed)) !== null) close();
  };
  return (
    <Show
      when={text() !== null}
      fallback={
        <p class="row-note">
          {props.children}
          <Show when={!props.fixed}>
            <button
              ref={button}
              type="button"
              class="text-button"
              aria-label={props.edit}
              onClick={() => setText(props.text)}
            >
              {props.word}
            </button>
          </Show>
        </p>
      }
    >
      <Form
        class="inline-form"
        onSubmit={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // A dialog around it stays open.
          event.preventDefault();
          close();
        }}
      >
        <input
          ref={(element) => queueMicrotask(() => element.select())}
          class="input"
          aria-label={props.label}
          maxLength={props.maxLength}
          required={props.required}
          value={text() ?? ''}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button primary">
          Save
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </Form>
    </Show>
  );
}
