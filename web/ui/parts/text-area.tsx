import { createUniqueId, type JSX, splitProps } from 'solid-js';
import { type Around, Field, inputOf } from './field.tsx';

/** A field of several lines. */
export function TextArea(
  props: Around &
    Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, 'onInput'> & {
      value: string;
      onValue(value: string): void;
      mono?: boolean;
    },
): JSX.Element {
  const id = createUniqueId();
  const [own, input] = splitProps(props, ['label', 'hint', 'problem', 'onValue', 'mono']);
  return (
    <Field id={id} label={own.label} hint={own.hint} problem={own.problem}>
      <textarea
        rows={3}
        maxLength={65_536}
        {...input}
        {...inputOf(id, own)}
        onInput={(event) => own.onValue(event.currentTarget.value)}
      />
    </Field>
  );
}
