import { createDecoder, hasContent, readTailAsUint8Array, readUint8, readVarUint } from 'lib0/decoding';
import { createEncoder, toUint8Array, writeUint8, writeUint8Array, writeVarUint } from 'lib0/encoding';
import { ProtocolError } from '../../protocol/errors.ts';
import { concatBytes } from '../../std/bytes.ts';

/** Some hosts take no longer message; what is longer goes in several. */
const PIECE_BYTES = 512 * 1024;
/** A whole entry or snapshot; nobody collects more. */
export const ENTRY_BYTES = 256 * 1024 * 1024;

/**
 * What is said about a log on its channel. The room: `begin` (what it sends follows entry `seq`), a `snapshot` of
 * everything up to `seq`, an `entry` at `seq`, and `end` once everything that was there has been said; from then on a
 * `snapshot` says that the log begins with one now, and comes without bytes unless it puts back what the log had lost. `stored` answers what the other end sent, in
 * order: an entry stands at `seq`, or a snapshot was taken. A replica: an `entry` to be added, or a `snapshot` in place
 * of everything up to `seq`.
 */
export type LogMessage = { kind: LogMessageKind; seq: number; bytes: Uint8Array };
export type LogMessageKind = 'begin' | 'snapshot' | 'entry' | 'stored' | 'end';

const KINDS: readonly LogMessageKind[] = ['begin', 'snapshot', 'entry', 'stored', 'end'];
/** Bytes that stand before those of the next message. */
const PIECE = 0xff;
const NOTHING = new Uint8Array();

/** A message as it is sent, in order. */
export function logMessages(kind: LogMessageKind, seq = 0, bytes: Uint8Array = NOTHING): Uint8Array[] {
  const messages: Uint8Array[] = [];
  let at = 0;
  for (; bytes.length - at > PIECE_BYTES; at += PIECE_BYTES) {
    messages.push(concatBytes([new Uint8Array([PIECE]), bytes.subarray(at, at + PIECE_BYTES)]));
  }
  const encoder = createEncoder();
  writeUint8(encoder, KINDS.indexOf(kind));
  writeVarUint(encoder, seq);
  writeUint8Array(encoder, bytes.subarray(at));
  return [...messages, toUint8Array(encoder)];
}

/** Puts together what comes on one channel. */
export class LogMessageReader {
  #pieces: Uint8Array[] = [];
  #length = 0;

  /** Undefined while there is more to come. Throws ProtocolError on bytes that are no message. */
  read(bytes: Uint8Array): LogMessage | undefined {
    this.#length += bytes.length;
    if (this.#length > ENTRY_BYTES) throw new ProtocolError('log message is too long');
    if (bytes[0] === PIECE) {
      this.#pieces.push(bytes.subarray(1));
      return undefined;
    }
    const message = decode(bytes);
    const pieces = this.#pieces.splice(0);
    this.#length = 0;
    return pieces.length === 0 ? message : { ...message, bytes: concatBytes([...pieces, message.bytes]) };
  }
}

function decode(bytes: Uint8Array): LogMessage {
  try {
    const decoder = createDecoder(bytes);
    const kind = KINDS[readUint8(decoder)];
    const seq = readVarUint(decoder);
    if (!kind) throw new ProtocolError('unknown log message');
    return { kind, seq, bytes: hasContent(decoder) ? readTailAsUint8Array(decoder) : NOTHING };
  } catch (thrown) {
    throw thrown instanceof ProtocolError ? thrown : new ProtocolError('malformed log message');
  }
}
