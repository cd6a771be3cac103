/** The error object of a response frame (routing reference, FACTS "Handshake and wire"). */
export type ErrorShape = {
  code: number;
  message: string;
  details?: unknown;
  retryable?: boolean;
};

/** Thrown by handlers; becomes the `error` of a response frame. Anything else thrown becomes a 500. */
export class SyscallError extends Error {
  override readonly name = 'SyscallError';
  readonly code: number;
  readonly details: unknown;
  readonly retryable: boolean;

  constructor(code: number, message: string, options: { details?: unknown; retryable?: boolean } = {}) {
    super(message);
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable ?? false;
  }

  toShape(): ErrorShape {
    return {
      code: this.code,
      message: this.message,
      ...(this.details === undefined ? {} : { details: this.details }),
      ...(this.retryable ? { retryable: true } : {}),
    };
  }

  static from(shape: ErrorShape): SyscallError {
    return new SyscallError(shape.code, shape.message, shape);
  }
}

/** A frame that cannot be understood. The connection that sent it is closed with this message as reason. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** What a caller is told of any thrown value; the text of unexpected errors stays out of the wire. */
export function toErrorShape(thrown: unknown): ErrorShape {
  if (thrown instanceof SyscallError) return thrown.toShape();
  return { code: 500, message: 'Internal error' };
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
