import { type JSX, Show, splitProps } from 'solid-js';

/** A form that the page answers itself. */
export function Form(
  props: Omit<JSX.FormHTMLAttributes<HTMLFormElement>, 'onSubmit'> & { onSubmit(): void },
): JSX.Element {
  const [own, form] = splitProps(props, ['onSubmit']);
  return (
    <form
      class="form"
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        own.onSubmit();
      }}
    />
  );
}

/** Why what was asked for was not done; nothing while there is nothing to say. */
export function Problem(props: { text: string | null }): JSX.Element {
  return (
    <Show when={props.text}>
      <p class="problem" role="alert">
        {props.text}
      </p>
    </Show>
  );
}
