import { MessageRow } from '../../state/conversation.ts';
import { Table } from '../../state/table.ts';
import type { Clock } from '../../std/clock.ts';
import { pause } from '../../std/pause.ts';
import type { Documents } from '../documents.ts';
import type { SearchIndex } from './search-index.ts';

/** The start is over by then. */
const START_MS = 10_000;
/** After a run, when its conversation is looked at. */
const SETTLE_MS = 2_000;
/** Between two blocks, of which each takes some milliseconds; and until something that runs is over. */
const GAP_MS = 20;
const BUSY_MS = 1_000;
/** Rows of the index that are read at once. */
const WARM = 32;
const CONVERSATIONS = 'conv/';
/** `<conversation>g<generation>/<number>`, the number padded. */
const BLOCK = /^(conv\/.+\/g\d+\/)(\d+)$/;

export type IndexKeeperParts = {
  documents: Pick<Documents, 'names' | 'peek'>;
  index: SearchIndex;
  clock: Clock;
  /** Whether something runs, which comes first. */
  busy(): boolean;
};

type Block = { name: string; key: string };

/**
 * Makes the search index while nothing else goes on, a block of messages at a time, so that the first search finds it
 * made: what there is after a start, the newest blocks of a conversation after a run. What is missing a search makes itself.
 */
export class IndexKeeper {
  readonly #parts: IndexKeeperParts;
  readonly #waiting = new Map<string, Block>();
  #cancel: (() => void) | null = null;
  #going: Promise<void> | null = null;
  readonly #over = new AbortController();
  #stopped = true;

  constructor(parts: IndexKeeperParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#stopped = false;
    this.#later(START_MS, () => this.#begin());
  }

  stop(): void {
    this.#stopped = true;
    this.#over.abort();
    this.#cancel?.();
  }

  /** A run has ended in a conversation. */
  ended(pid: string, conversationId: string): void {
    const look = async (): Promise<void> => {
      const blocks = await this.#blocks(`${CONVERSATIONS}${pid}/${conversationId}/g`);
      for (const block of blocks.slice(-2)) this.#waiting.set(block.key, block);
      this.#goOn();
    };
    if (!this.#stopped) this.#parts.clock.after(SETTLE_MS, () => void look().catch(() => {}));
  }

  async #begin(): Promise<void> {
    const { index } = this.#parts;
    const blocks = await this.#blocks(CONVERSATIONS);
    await index.keepBlocks(new Set(blocks.map(({ key }) => key)));
    for await (const _ of index.read(WARM)) await pause(this.#parts.clock, GAP_MS, this.#over.signal);
    for (const block of blocks) if (!(await index.has(block.key))) this.#waiting.set(block.key, block);
    this.#goOn();
  }

  /** In the order of their names: of a conversation, the newest last. */
  async #blocks(prefix: string): Promise<Block[]> {
    const names = await this.#parts.documents.names(prefix);
    return names.sort().flatMap((name) => {
      const [, generation, number] = BLOCK.exec(name) ?? [];
      return generation === undefined ? [] : [{ name, key: `${generation}${Number(number)}` }];
    });
  }

  #goOn(): void {
    if (this.#cancel || this.#going || this.#waiting.size === 0) return;
    this.#later(this.#parts.busy() ? BUSY_MS : GAP_MS, () => this.#step());
  }

  async #step(): Promise<void> {
    const [block] = this.#waiting.values();
    if (!block || this.#parts.busy()) return;
    this.#waiting.delete(block.key);
    const doc = await this.#parts.documents.peek(block.name);
    const rows = new Table(doc, 'messages', MessageRow).rows();
    if (!this.#stopped && rows.length > 0) await this.#parts.index.note(block.key, rows);
  }

  #later(ms: number, run: () => Promise<void>): void {
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(ms, () => {
      this.#cancel = null;
      // What cannot be read now a search will see.
      this.#going = run()
        .catch(() => {})
        .then(() => {
          this.#going = null;
          this.#goOn();
        });
    });
  }
}
