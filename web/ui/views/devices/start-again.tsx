import type { JSX } from 'solid-js';
import { startLine } from '../../live/invitation.ts';
import { reachedAt } from '../../live/reached-at.ts';
import { CopyLine } from '../../parts/copy-line.tsx';
import { PairAgain } from './pair-again.tsx';

/** How the driver of a device that is away is started again, and what to do where its token is gone. */
export function StartAgain(props: { deviceId: string; onPairAgain(): void }): JSX.Element {
  const line = (): string => startLine(reachedAt('workstation'), props.deviceId);
  return (
    <details class="more start-again">
      <summary>Start it again</summary>
      <p class="hint">
        In a terminal on {props.deviceId}, in the folder where you connected it first (it holds gsv.mjs):
      </p>
      <CopyLine name="The line that starts it again" text={line()} copy="Copy the line" />
      <p class="hint">Where its files are gone, pair it again: it gets a new line, and its old token ends.</p>
      <PairAgain deviceId={props.deviceId} onPress={() => props.onPairAgain()} />
    </details>
  );
}
