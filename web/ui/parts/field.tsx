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
export function describedBy(id: string, props: Around): string | undefined {
  if (props.problem) return `${id}-problem`;
  return props.hint === undefined ? undefined : `${id}-hint`;
}

export function TextField(
  props: Around &
    Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput'> & {
      value: string;
      onValue(value: string): void;
      mono?: boolean;
    },
): JSX.Element {
  const id = createUniqueId();
  const [own, input] = splitProps(props, ['label', 'hint', 'problem', 'onValue', 'mono']);
  return (
    <Field id={id} label={own.label} hint={own.hint} problem={own.problem}>
      <input
        {...input}
        id={id}
        class="input"
        classList={{ mono: own.mono === true }}
        aria-invalid={own.problem ? true : undefined}
        aria-describedby={describedBy(id, own)}
        onInput={(event) => own.onValue(event.currentTarget.value)}
      />
    </Field>
  );
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
