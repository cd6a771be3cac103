import type { JSX } from 'solid-js';
import { CopyButton, scrollable } from './small.tsx';

/** Text for somewhere else, whole, with a button that copies it. `name` is what it is called to who cannot see it. */
export function CopyLine(props: { name: string; text: string; copy: string }): JSX.Element {
  return (
    <div class="paste-line">
      <code dir="ltr" {...scrollable(props.name)}>
        {props.text}
      </code>
      <CopyButton text={props.text} label={props.copy} />
    </div>
  );
}
