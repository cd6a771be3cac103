import { type Static, Type } from 'typebox';
import { ProtocolError } from '../../shared/protocol/errors.ts';
import { checkParts } from '../../shared/protocol/frames.ts';
import { limits } from '../../shared/protocol/limits.ts';
import { matches } from '../../shared/std/matches.ts';

/** Left for the rest of the frame. */
const FRAME_ROOM = 1024;

const strict = { additionalProperties: false };
const ReplicaSignal = Type.Union([
  Type.Object(
    {
      uid: Type.Integer({ minimum: 0 }),
      signal: Type.String({ maxLength: 128, pattern: '^(proc|notification)\\.' }),
      payload: Type.Record(Type.String(), Type.Unknown()),
    },
    strict,
  ),
  // Of a sealed GSV.
  Type.Object({ sealed: Type.String() }, strict),
]);
type ReplicaSignal = Static<typeof ReplicaSignal>;

/** What the other kernels get of a `replica.signal`; undefined when it is none, or would not fit a frame any more. */
export function relayed(payload: unknown, from: string): (ReplicaSignal & { from: string }) | undefined {
  if (!matches(ReplicaSignal, payload)) return undefined;
  const signal = { ...(payload as ReplicaSignal), from };
  return fits(signal) ? signal : undefined;
}

/** A frame that is too large would close the connection of whoever gets it. */
function fits(signal: unknown): boolean {
  try {
    checkParts({ type: 'sig', signal: 'replica.signal', payload: signal });
  } catch (thrown) {
    if (thrown instanceof ProtocolError) return false;
    throw thrown;
  }
  return new TextEncoder().encode(JSON.stringify(signal)).length <= limits.frameBytes - FRAME_ROOM;
}
