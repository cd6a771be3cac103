/**
 * What may be wrong with a log that a server hands out:
 * `foreign`: nobody with the keys wrote it so, or for this document; `gap`: something before it was left out;
 * `fork`: its writer wrote something else in this place; `repeated`: it was here before; `behind`: the log ends before
 * what is known to be in it; `order`: it is not at its place in the log.
 */
export type FaultKind = 'foreign' | 'gap' | 'fork' | 'repeated' | 'behind' | 'order';

/** Something that a server handed out and that was not taken. */
export class SealFault extends Error {
  readonly kind: FaultKind;

  constructor(kind: FaultKind, detail: string) {
    super(detail);
    this.name = 'SealFault';
    this.kind = kind;
  }
}
