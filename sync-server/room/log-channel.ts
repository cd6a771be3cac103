import { type LogMessageKind, LogMessageReader, logMessages } from '../../shared/kernel/seal/log-message.ts';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import { ChannelLife, type DocChannel, type DocChannelParts } from './channel-life.ts';
import type { SealedLog } from './sealed-log.ts';

/** What a channel needs of a log. */
export type Log = Pick<SealedLog, 'seq' | 'first' | 'listen' | 'readingAfter' | 'add' | 'replace'>;

/**
 * One sealed document's log over one channel of a connection. Entries and acknowledgements go out in the log's order,
 * so that the other end sees each number once. An entry that cannot be stored ends the channel with `doc.refused`.
 */
export class LogChannel implements DocChannel {
  readonly #peer: Peer;
  readonly #channel: number;
  readonly #log: Promise<Log>;
  readonly #life: ChannelLife;
  readonly #reader = new LogMessageReader();

  constructor(parts: DocChannelParts<Log>) {
    this.#peer = parts.peer;
    this.#channel = parts.channel;
    this.#log = parts.use.document;
    this.#life = new ChannelLife(parts);
  }

  /** Says what follows the entry that the other end has read last, and what is added from then on. */
  async start(since: number, hash: string): Promise<number> {
    const log = await this.#log;
    const reading = await log.readingAfter(since, hash);
    if (!this.#life.open) return log.seq;
    const { after, snapshot, entries } = reading();
    this.#life.onClose(
      log.listen({
        added: (seq, bytes, origin) =>
          origin === this ? this.#say('stored', seq) : this.#say('entry', seq, bytes),
        replaced: (seq, bytes, origin) => {
          if (origin !== this) this.#say('snapshot', seq, bytes ?? undefined);
        },
        ended: (reason) => this.#life.refuse(reason, true),
      }),
    );
    this.#say('begin', after);
    if (snapshot) this.#say('snapshot', snapshot.seq, snapshot.bytes);
    let seq = log.seq - entries.length;
    for (const bytes of entries) {
      seq += 1;
      this.#say('entry', seq, bytes);
    }
    this.#say('end', log.seq);
    this.#say('snapshot', log.first);
    return log.seq;
  }

  receive(bytes: Uint8Array): void {
    this.#life.take(() => this.#handle(bytes));
  }

  finish(): Promise<void> {
    return this.#life.finish();
  }

  close(): void {
    this.#life.close();
  }

  async #handle(bytes: Uint8Array): Promise<void> {
    const message = this.#reader.read(bytes);
    if (!message) return;
    const log = await this.#log;
    // The log answers in order, through its listener.
    if (message.kind === 'entry') this.#life.store(() => log.add(message.bytes, this));
    else if (message.kind === 'snapshot') await this.#replace(log, message.seq, message.bytes);
    else throw new ProtocolError('only a room says this of a log');
  }

  async #replace(log: Log, seq: number, bytes: Uint8Array): Promise<void> {
    await this.#life.stored;
    await log.replace(seq, bytes, this);
    if (this.#life.open) this.#say('stored', seq);
  }

  #say(kind: LogMessageKind, seq: number, bytes?: Uint8Array): void {
    for (const message of logMessages(kind, seq, bytes)) this.#peer.sendBytes(this.#channel, message);
  }
}
