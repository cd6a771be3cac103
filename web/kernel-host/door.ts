import { Type } from 'typebox';

/**
 * How a page and the kernel of its browser find each other. A page holds a Web Lock of its own before it says hello;
 * the kernel holds one that it names in its welcome. Whoever gets the other's lock knows that the other is gone.
 */
export const Hello = Type.Object({ type: Type.Literal('hello'), tab: Type.String(), lock: Type.String() });
export const Welcome = Type.Object({ type: Type.Literal('welcome'), lock: Type.String() });
export const Refusal = Type.Object({ type: Type.Literal('refused'), reason: Type.String() });

export type Hello = Type.Static<typeof Hello>;
export type Welcome = Type.Static<typeof Welcome>;
export type Refusal = Type.Static<typeof Refusal>;

/** One kernel per origin, whatever host or version it runs in, holds this lock. */
export const KERNEL_LOCK = 'gsv-kernel';
/** Where a page becomes the one that runs the kernel, in browsers without SharedWorker. */
export const LEADER_LOCK = 'gsv-leader';
/** Pages and a kernel in a leader's worker talk here. */
export const BUS = 'gsv-bus';
/** A new version of the kernel asks an old one to end. */
export const YIELD_CHANNEL = 'gsv-yield';

/** A message on the bus. `to` and `from` are tab ids, or `kernel`. */
export const Envelope = Type.Object({ to: Type.String(), from: Type.String(), data: Type.Unknown() });
export type Envelope = Type.Static<typeof Envelope>;
export const KERNEL_ADDRESS = 'kernel';
