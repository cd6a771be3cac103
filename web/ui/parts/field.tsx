import { createUniqueId, type JSX, Show, splitProps } from 'solid-js';

/** What stands around an input. */
export type Around = { label: string; hint?: JSX.Element; problem?: string | null };

/** An input with its label, its hint, and what is wrong with it instead. */
export function Field(props: Around & { id: string; children: JSX.Element }): JSX.Element {
  return (
    <div class="field">
      <label for={props.id}>{props.label}</label>
      {props.children}
      <Show when={props.problem}>
        <p class="problem" id={`${props.id}-problem`} role="alert">
          {props.problem}
        </p>
      </Show>
      <Show when={props.hint !== undefined && !props.problem}>
        <p class="hint" id={`${props.id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  );
}

/** The id of what explains the input. */
function describedBy(id: string, props: Around): string | undefined {
  if (props.problem) return `${id}-problem`;
  return props.hint === undefined ? undefined : `${id}-hint`;
}

/** What an input in a `Field` has of it. */
export function inputOf(id: string, own: Around & { mono?: boolean }) {
  return {
    id,
    class: 'input',
    get classList() {
      return { mono: own.mono === true };
    },
    get 'aria-invalid'() {
      return own.problem ? (true as const) : undefined;
    },
    get 'aria-describedby'() {
      return describedBy(id, own);
    },
  };
}

export type TextFieldProps = Around &
  Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput'> & {
    value: string;
    onValue(value: string): void;
    mono?: boolean;
  };

export function TextField(props: TextFieldProps): JSX.Element {
  const id = createUniqueId();
  const [own, input] = splitProps(props, ['label', 'hint', 'problem', 'onValue', 'mono']);
  return (
    <Field id={id} label={own.label} hint={own.hint} problem={own.problem}>
      <input {...input} {...inputOf(id, own)} onInput={(event) => own.onValue(event.currentTarget.value)} />
    </Field>
  );
}

/** An address in the web. */
export function AddressField(props: TextFieldProps): JSX.Element {
  return <TextField type="url" inputmode="url" mono spellcheck={false} {...props} />;
}

export function SelectField(
  props: Around & { value: string; onValue(value: string): void; children: JSX.Element },
): JSX.Element {
  const id = createUniqueId();
  return (
    <Field id={id} label={props.label} hint={props.hint} problem={props.problem}>
      <select
        id={id}
        class="input"
        value={props.value}
        aria-describedby={describedBy(id, props)}
        onChange={(event) => props.onValue(event.currentTarget.value)}
      >
        {props.children}
      </select>
    </Field>
  );
}
