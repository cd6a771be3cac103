/** Bounds of the wire. Every gate applies the same ones (W rules). */
export const limits = {
  /** A text frame longer than this many bytes closes the connection that sent it. */
  frameBytes: 1024 * 1024,
  /** Nesting of arrays and objects inside one frame. */
  frameDepth: 64,
  /** Values inside one frame, counted with repetition. */
  frameNodes: 500_000,
  /** Arguments or a result whose JSON is longer travel beside the frame as a byte stream. */
  inlineBytes: 256 * 1024,
  /** One binary frame carries at most this many payload bytes. */
  chunkBytes: 256 * 1024,
  /** Bytes that a sender may have in flight on one channel before the receiver grants more. */
  windowBytes: 1024 * 1024,
  /** A body (spilled JSON) longer than this is refused. */
  bodyBytes: 128 * 1024 * 1024,
  /** Requests of one connection that may be unanswered at once. */
  pendingCalls: 1024,
  /** Open channels of one connection. */
  channels: 1024,
  idLength: 256,
  callLength: 64,
  /** A call without its own deadline, in milliseconds. */
  callTimeoutMs: 60_000,
  /** A call relayed to a device is given up after this long (FACTS, Numbers). */
  deviceRouteMs: 60_000,
} as const;
