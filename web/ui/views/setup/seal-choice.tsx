import { createUniqueId, type JSX } from 'solid-js';

/** Whether the server that this GSV joins shall be able to read it. */
export function SealChoice(props: { sealed: boolean; onSealed(sealed: boolean): void }): JSX.Element {
  const hint = createUniqueId();
  return (
    <div class="choices">
      <label>
        <input
          type="checkbox"
          checked={props.sealed}
          aria-describedby={hint}
          onChange={(event) => props.onSealed(event.currentTarget.checked)}
        />
        <span>Sealed: a server keeps only what it cannot read</span>
      </label>
      <p class="hint" id={hint}>
        {props.sealed
          ? 'Only your browsers and paired workstations have the keys. A recovery phrase, under Settings, keeps you from losing them.'
          : 'Whoever holds the server can read everything there. It can be sealed later.'}
      </p>
    </div>
  );
}
