/**
 * What may be wrong with a log that a server hands out:
 * `foreign`: nobody with the keys wrote it so, or for this document; `gap`: something before it was left out;
 * `fork`: its writer wrote something else in this place; `repeated`: it was here before; `behind`: the log ends before
 * what is known to be in it; `order`: it is not at its place in the log; `locked`: it is under a key that is not known
 * here; `older`: it ends before what the browser that invited this one had read; `shut out`: a browser that was shut
 * out made it since. Of contents of files, `withheld`: the room says that it has them, and does not hand them out;
 * `lost`: it had them, and has not any more.
 */
export type FaultKind =
  | 'foreign'
  | 'gap'
  | 'fork'
  | 'repeated'
  | 'behind'
  | 'order'
  | 'locked'
  | 'older'
  | 'shut out'
  | 'withheld'
  | 'lost';

/** Something that a server handed out and that was not taken. */
export class SealFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, detail: string) {
    super(detail);
    this.name = 'SealFault';
    this.kind = kind;
  }
}

/** What it made of its copy. */
const CHANGES: Record<Exclude<FaultKind, 'locked' | 'withheld' | 'lost'>, string> = {
  foreign: 'It gave out something that none of your browsers wrote, or wrote so.',
  gap: 'It left out changes that were made before others.',
  fork: 'It gave out changes that contradict earlier ones.',
  repeated: 'It gave out old changes as new ones.',
  behind: 'It does not have changes that it had before.',
  order: 'It gave out changes in another order.',
  older: 'It gave out an older state than the browser that invited this one knows.',
  'shut out': 'It gave out changes that a browser made after it had been shut out.',
};

/** For a person: what happened to which document, and what came of it. */
export function faultWords(kind: FaultKind, document: string): string {
  if (kind === 'locked')
    return `There are new keys that this browser has not got yet: the newest of ${document} can be read once another of your browsers is online.`;
  if (kind === 'withheld')
    return `The server says that it has ${document}, and does not hand them out. A browser that has them can send them again.`;
  if (kind === 'lost')
    return `The server lost ${document} that it had. This browser has them and sends them again.`;
  return `The server’s copy of ${document} was changed. ${CHANGES[kind]} Nothing of it was taken.`;
}
