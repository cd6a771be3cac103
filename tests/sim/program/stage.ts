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
  readonly knew: readonly string[] | null;
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
  #tokens = 0;

  constructor(world: World) {
    this.world = world;
  }

  /** A word that nothing else in this world holds. */
  newToken(prefix: string): string {
    this.#tokens += 1;
    return `${prefix}${this.#tokens}z`;
  }
}
