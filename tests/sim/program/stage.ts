import type { Dice } from '../engine/dice.ts';
import type { Picture } from '../invariants/picture.ts';
import type { PageCall } from '../nodes/page.ts';
import type { World } from '../world.ts';

/** The process that everybody has. */
export const INIT = 'init:1000';

export type SentMessage = {
  readonly token: string;
  readonly pid: string;
  readonly call: PageCall<'proc.send'> | PageCall<'proc.spawn'>;
  /** Somebody asked to take it back from the queue. */
  takenBack: boolean;
};

/** A change of a file or directory that somebody asked for. */
export type FileChange = {
  readonly replica: string;
  readonly path: string;
  /** What it put there; null when it took away. */
  readonly token: string | null;
  /** Tokens that were there in the eyes of this replica; null when that is not known for sure. */
  knew: readonly string[] | null;
  /** Another change of it was still going on there when this began: either may have come last. */
  readonly contested: boolean;
  readonly call: PageCall<'fs.write'> | PageCall<'fs.edit'> | PageCall<'fs.delete'>;
};

/** A world with what people have done in it. */
export class Stage {
  readonly world: World;
  readonly pids: string[] = [INIT];
  readonly messages: SentMessage[] = [];
  readonly changes: FileChange[] = [];
  /** The end of the trace when everything had come to rest. */
  look: (picture: Picture) => void = () => {};
  restTrace: readonly string[] = [];
  readonly #tokens = new Set<string>();

  constructor(world: World) {
    this.world = world;
  }

  /** A word that nothing else in this world holds; it follows from the operation that uses it. */
  newToken(prefix: string, dice: Dice): string {
    const token = `${prefix}${dice.below(0x4000_0000)}z`;
    if (this.#tokens.has(token)) return this.newToken(prefix, dice);
    this.#tokens.add(token);
    return token;
  }
}
