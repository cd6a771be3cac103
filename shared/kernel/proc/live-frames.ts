import { Type } from 'typebox';
import type { Clock } from '../../std/clock.ts';
import { matches } from '../../std/matches.ts';

/** Pieces of one text are sent to other replicas at most this often (DESIGN 4). */
const BATCH_MS = 60;

export type Frame = { uid: number; signal: string; payload: Record<string, unknown> };

/** The way to other replicas. What does not arrive is not sent again. */
export type FramePort = {
  /** Whether another replica is connected to the room. */
  others(): boolean;
  send(frame: Frame): void;
};

const Incoming = Type.Object({
  uid: Type.Integer({ minimum: 0 }),
  signal: Type.String({ pattern: '^proc\\.[a-z.]+$', maxLength: 64 }),
  payload: Type.Record(Type.String(), Type.Unknown()),
  from: Type.String(),
});

type Piece = { frame: Frame; key: string; text: string };

/** Signals of processes to the pages of other replicas: a run is seen there while it goes on. A courtesy, never state. */
export class LiveFrames {
  readonly #port: FramePort;
  readonly #clock: Clock;
  #waiting: Piece | null = null;
  #cancel: (() => void) | null = null;

  constructor(port: FramePort, clock: Clock) {
    this.#port = port;
    this.#clock = clock;
  }

  send(uid: number, signal: string, payload: Record<string, unknown>): void {
    const frame = { uid, signal, payload };
    const piece = pieceOf(frame);
    if (!this.#port.others()) this.#drop();
    else if (piece && this.#waiting?.key === piece.key) this.#waiting.text += piece.text;
    else {
      this.#flush();
      if (piece) this.#wait(piece);
      else this.#port.send(frame);
    }
  }

  /** A frame of another replica; undefined when it is none. */
  static read(payload: unknown): Frame | undefined {
    if (!matches(Incoming, payload)) return undefined;
    const { uid, signal, payload: inner } = payload;
    return { uid, signal, payload: inner };
  }

  #wait(piece: Piece): void {
    this.#waiting = piece;
    this.#cancel = this.#clock.after(BATCH_MS, () => this.#flush());
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#drop();
    if (waiting) this.#port.send(withText(waiting));
  }

  #drop(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = null;
  }
}

/** Frames that carry a piece of a growing text, those of one text under one key. */
function pieceOf(frame: Frame): Piece | null {
  const { pid, runId, turn, callId, text, event } = frame.payload as {
    [name: string]: unknown;
    event?: { type?: unknown; contentIndex?: unknown; delta?: unknown };
  };
  if (frame.signal === 'proc.run.tool.output' && typeof text === 'string')
    return { frame, key: JSON.stringify([pid, runId, callId]), text };
  if (frame.signal !== 'proc.run.stream' || typeof event?.delta !== 'string') return null;
  return {
    frame,
    key: JSON.stringify([pid, runId, turn, event.type, event.contentIndex]),
    text: event.delta,
  };
}

function withText({ frame, text }: Piece): Frame {
  const { payload } = frame;
  if (frame.signal === 'proc.run.tool.output') return { ...frame, payload: { ...payload, text } };
  const event = { ...(payload.event as object), delta: text };
  return { ...frame, payload: { ...payload, event } };
}
