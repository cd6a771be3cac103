import { createSignal, onCleanup } from 'solid-js';
import type { Result } from '../../../shared/syscalls/table.ts';
import type { Gsv } from '../../client/gsv.ts';
import { count } from '../parts/words.ts';

export type SealState = Result<'sys.seal.get'>;

/** While it may soon be another: another browser may seal it, and contents may be sealed anew. */
const PROGRESS_MS = 1_000;

export type Sealing = {
  /** Undefined before it is known, null when it cannot be. */
  state(): SealState | null | undefined;
  refresh(): Promise<void>;
};

/** What is known of this GSV’s keys, kept up to date until everything is sealed by the newest. */
export function createSealing(gsv: Gsv): Sealing {
  const [state, setState] = createSignal<SealState | null>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const refresh = async (): Promise<void> => {
    clearTimeout(timer);
    const known = await gsv.call('sys.seal.get', {}).catch(() => null);
    if (over) return;
    setState(known);
    if (known && (known.resealing || !known.sealed)) timer = setTimeout(() => void refresh(), PROGRESS_MS);
  };
  onCleanup(() => {
    over = true;
    clearTimeout(timer);
  });
  void refresh();
  return { state, refresh };
}

/** What whoever holds the server can read, in a sentence. */
export function serverWords(sealed: boolean, alone: boolean): string {
  if (sealed && alone)
    return 'This GSV is sealed. When it joins a server, that server keeps what it cannot read.';
  if (sealed)
    return 'This GSV is sealed. Its server keeps messages, files, names and settings that it cannot read.';
  if (alone) return 'This GSV is only in this browser, and no server reads it.';
  return 'This GSV is not sealed: whoever holds its server can read messages, files and settings there.';
}

export function phraseWords(phrase: SealState['phrase']): string {
  switch (phrase) {
    case 'none':
      return 'There is none. If every browser of yours were lost, nobody could read what the server keeps, not even you.';
    case 'made':
      return 'One was made, and it was not checked that you have kept it.';
    case 'kept':
      return 'You have one. It opens this GSV in an empty browser when every other one is lost.';
  }
}

export function resealingWords({ done, total }: NonNullable<SealState['resealing']>): string {
  return `${done} of ${count(total, 'part')} sealed with the new key. Everything can be read meanwhile.`;
}

/** Two different places of a phrase, the earlier one first. `random`: 0 to less than 1. */
export function twoPlaces(words: number, random: () => number): [number, number] {
  const first = 1 + Math.floor(random() * words);
  const other = 1 + Math.floor(random() * (words - 1));
  const second = other < first ? other : other + 1;
  return first < second ? [first, second] : [second, first];
}
