import type { JSX } from 'solid-js';

/** One line of a `dl`: what it is, and what it is now. */
export function Fact(props: { name: string; value: string; title?: string }): JSX.Element {
  return (
    <div title={props.title}>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}
