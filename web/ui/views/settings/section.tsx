import type { JSX } from 'solid-js';

export function Section(props: { title: string; text: string; children: JSX.Element }): JSX.Element {
  return (
    <section class="setting">
      <h2>{props.title}</h2>
      <p class="hint">{props.text}</p>
      {props.children}
    </section>
  );
}
