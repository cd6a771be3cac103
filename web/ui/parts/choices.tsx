import { createUniqueId, For, type JSX } from 'solid-js';

/** One of a few, side by side. */
export function Choices<Id extends string>(props: {
  legend: string;
  choices: readonly { id: Id; name: string }[];
  value: Id;
  onValue(id: Id): void;
}): JSX.Element {
  const name = createUniqueId();
  return (
    <fieldset class="segments">
      <legend>{props.legend}</legend>
      <For each={props.choices}>
        {(choice) => (
          <label>
            <input
              type="radio"
              name={name}
              checked={props.value === choice.id}
              onChange={() => props.onValue(choice.id)}
            />
            <span>{choice.name}</span>
          </label>
        )}
      </For>
    </fieldset>
  );
}
