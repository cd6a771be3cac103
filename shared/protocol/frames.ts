import { type Static, type TSchema, Type } from 'typebox';
import { matches } from '../std/matches.ts';
import { ProtocolError } from './errors.ts';
import { limits } from './limits.ts';

const strict = { additionalProperties: false } as const;
const Id = Type.String({ minLength: 1, maxLength: limits.idLength });
const Channel = Type.Integer({ minimum: 1, maximum: 0xffffffff });

/** JSON too long for its frame: `size` bytes of UTF-8 on the channel replace `args` or `data`. */
const BodyRef = Type.Object(
  { channel: Channel, size: Type.Integer({ minimum: 0, maximum: limits.bodyBytes }) },
  strict,
);
/** Bytes that accompany a call or its answer (a file transfer). */
const StreamRef = Type.Object(
  { channel: Channel, size: Type.Optional(Type.Integer({ minimum: 0 })) },
  strict,
);

const ErrorSchema = Type.Object(
  {
    code: Type.Integer({ minimum: 100, maximum: 999 }),
    message: Type.String(),
    details: Type.Optional(Type.Unknown()),
    retryable: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** The lease under which a call is made; whoever granted it refuses the call (409) once the lease is another's. */
export const LeaseRef = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.idLength }),
    epoch: Type.Integer({ minimum: 1 }),
  },
  strict,
);
export type LeaseRef = Static<typeof LeaseRef>;

/**
 * A call. `key` makes an effectful call safe to ask for again: the executor answers a key it has seen from
 * its journal. `ttl` is the time left for the call in milliseconds.
 */
export const RequestFrame = Type.Object(
  {
    type: Type.Literal('req'),
    id: Id,
    call: Type.String({ minLength: 1, maxLength: limits.callLength }),
    args: Type.Optional(Type.Unknown()),
    key: Type.Optional(Id),
    ttl: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
    lease: Type.Optional(LeaseRef),
    body: Type.Optional(BodyRef),
    stream: Type.Optional(StreamRef),
  },
  strict,
);
const OkFrame = Type.Object(
  {
    type: Type.Literal('res'),
    id: Id,
    ok: Type.Literal(true),
    data: Type.Optional(Type.Unknown()),
    body: Type.Optional(BodyRef),
    stream: Type.Optional(StreamRef),
  },
  strict,
);
const FailedFrame = Type.Object(
  { type: Type.Literal('res'), id: Id, ok: Type.Literal(false), error: ErrorSchema },
  strict,
);
export const ResponseFrame = Type.Union([OkFrame, FailedFrame]);
export const SignalFrame = Type.Object(
  {
    type: Type.Literal('sig'),
    signal: Type.String({ minLength: 1, maxLength: 128 }),
    payload: Type.Optional(Type.Unknown()),
    seq: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  strict,
);

export type RequestFrame = Static<typeof RequestFrame>;
export type ResponseFrame = Static<typeof ResponseFrame>;
export type SignalFrame = Static<typeof SignalFrame>;
export type Frame = RequestFrame | ResponseFrame | SignalFrame;

const schemas = new Map<unknown, TSchema>([
  ['req', RequestFrame],
  ['res', ResponseFrame],
  ['sig', SignalFrame],
]);

/** Checks a value received from the other end. Throws ProtocolError; the caller closes the connection. */
export function checkFrame(value: unknown): Frame {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProtocolError('frame is not an object');
  }
  const schema = schemas.get((value as { type?: unknown }).type);
  if (!schema) throw new ProtocolError('frame has an unknown type');
  if (!matches(schema, value)) throw new ProtocolError('frame is malformed');
  checkParts(value);
  return value as Frame;
}

/** Decodes one text frame. Throws ProtocolError when it is too long, too deep, or not JSON. */
export function decodeFrame(text: string): Frame {
  if (isLongerThan(text, limits.frameBytes)) throw new ProtocolError('frame is too long');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError('frame is not JSON');
  }
  return checkFrame(value);
}

/** Whether a text takes more bytes of UTF-8 than that. It is encoded only where its length leaves a doubt. */
export function isLongerThan(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false;
  return text.length > bytes || new TextEncoder().encode(text).length > bytes;
}

/** Checks JSON that came beside its frame by the bounds of a frame. Throws ProtocolError. */
export function checkParts(value: unknown): void {
  checkShape(value, limits.frameDepth, { left: limits.frameNodes });
}

/** Walks the value once; the node budget also ends values that share or repeat structure without end. */
function checkShape(value: unknown, depth: number, nodes: { left: number }): void {
  nodes.left -= 1;
  if (nodes.left < 0) throw new ProtocolError('frame has too many parts');
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw new ProtocolError('frame is too deep');
  for (const inner of Object.values(value)) checkShape(inner, depth - 1, nodes);
}
