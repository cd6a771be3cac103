import { Type } from 'typebox';

/**
 * How a page and the kernel of its browser find each other. A page holds a Web Lock of its own before it says hello;
 * the kernel holds one that it names in its welcome. Whoever gets the other's lock knows that the other is gone.
 */
export const Hello = Type.Object({
  type: Type.Literal('hello'),
  tab: Type.String(),
  lock: Type.String(),
  /** What opens a disk that is locked. */
  password: Type.Optional(Type.String()),
  /** Whoever has forgotten that removes all that is locked. */
  remove: Type.Optional(Type.Literal(true)),
});
/** Somebody lends the kernel an engine for models: a Worker of a page, or the page itself (`engines`). */
export const Lend = Type.Object({
  type: Type.Literal('lend'),
  lender: Type.String(),
  lock: Type.String(),
  engines: Type.Union([Type.Literal('worker'), Type.Literal('page')]),
});
export const Welcome = Type.Object({ type: Type.Literal('welcome'), lock: Type.String() });
export const Refusal = Type.Object({
  type: Type.Literal('refused'),
  reason: Type.String(),
  /** A kernel of a newer version runs: only its pages are let in. */
  outdated: Type.Optional(Type.Boolean()),
  /** What is stored here waits for its password; `reason` says what was wrong with the one that was given, or nothing. */
  locked: Type.Optional(Type.Boolean()),
});

export type Hello = Type.Static<typeof Hello>;
export type Lend = Type.Static<typeof Lend>;
export type Welcome = Type.Static<typeof Welcome>;
export type Refusal = Type.Static<typeof Refusal>;

/** Here the kernel says that what was locked has been opened, or removed. */
export const UNLOCK_CHANNEL = 'gsv-unlock';

/** One kernel per origin, whatever host or version it runs in, holds this lock. */
export const KERNEL_LOCK = 'gsv-kernel';
/** Where a page becomes the one that runs the kernel, in browsers without SharedWorker. */
export const LEADER_LOCK = 'gsv-leader';
/** What a leader's worker says before it ends although another is wanted at once. */
export const AGAIN = 'again';
/** Pages and a kernel in a leader's worker talk here. */
export const BUS = 'gsv-bus';
/**
 * A kernel that finds another one running asks it to end. The older one ends; a newer one answers that it stays, and
 * then whoever asked ends.
 */
export const YIELD_CHANNEL = 'gsv-yield';
export const YieldMessage = Type.Object({
  type: Type.Union([Type.Literal('yield'), Type.Literal('stay')]),
  built: Type.Integer(),
  host: Type.Union([Type.Literal('shared'), Type.Literal('leader')]),
});
export type YieldMessage = Type.Static<typeof YieldMessage>;

/** Here the kernel asks the pages for an engine (`Wanted`), and a page says why it cannot lend one (`Cannot`). */
export const LEND_CHANNEL = 'gsv-lend';
export const Wanted = Type.Object({ type: Type.Literal('wanted'), engines: Lend.properties.engines });
export const Cannot = Type.Object({
  type: Type.Literal('cannot'),
  engines: Lend.properties.engines,
  reason: Type.String(),
});

/** A message on the bus. `to` and `from` are tab ids, or `kernel`. */
export const Envelope = Type.Object({ to: Type.String(), from: Type.String(), data: Type.Unknown() });
export type Envelope = Type.Static<typeof Envelope>;
export const KERNEL_ADDRESS = 'kernel';
