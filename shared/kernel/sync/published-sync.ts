import type { DocChannel, DocExchange } from './doc-exchange.ts';

/**
 * A document that browsers have of each other, by its log, and that the room is told in the clear besides. What the room
 * makes of that is its own matter: nothing of it comes here. It has everything when it has both.
 */
export class PublishedSync implements DocExchange {
  readonly kind = 'published';
  readonly #log: DocExchange;
  readonly #both: readonly DocExchange[];
  readonly channels: readonly DocChannel[];

  constructor(log: DocExchange, published: DocExchange) {
    this.#log = log;
    this.#both = [log, published];
    this.channels = this.#both.flatMap(({ channels }) => channels);
  }

  get waiting(): number {
    return this.#both.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get settled(): boolean {
    return this.#both.every(({ settled }) => settled);
  }

  get exchanging(): boolean {
    return this.#both.every(({ exchanging }) => exchanging);
  }

  get synced(): boolean {
    return this.#log.synced;
  }

  async start(): Promise<void> {
    await Promise.all(this.#both.map((exchange) => exchange.start()));
  }

  stop(): void {
    for (const exchange of this.#both) exchange.stop();
  }

  close(): void {
    for (const exchange of this.#both) exchange.close();
  }

  renew(): void {
    this.#log.renew();
  }
}
