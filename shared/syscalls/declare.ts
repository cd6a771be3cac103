import { type Static, type TObject, type TSchema, Type } from 'typebox';

/**
 * Who may ask for a syscall at all, before capabilities are looked at:
 * `anyone` before a connection has an identity, `user` any identity, `person` any identity but an agent's (what
 * decides about agents is never theirs to call), `process` the kernel's own agents, `kernel` the kernel itself, `tab`
 * a page of this browser, `room` whoever has signed in at the room, which alone answers it.
 */
export type Audience = 'anyone' | 'user' | 'person' | 'process' | 'kernel' | 'tab' | 'room';

/** A syscall, declared once (DESIGN 2.2). Everything else about it is derived from this record. */
export type Syscall<Args extends TObject = TObject, Result extends TSchema = TSchema> = {
  /** One or two sentences for the reference page. */
  doc: string;
  args: Args;
  result: Result;
  audience: Audience;
  /** `write` calls are journaled by whoever executes them, so that a key is executed once. */
  effect: 'read' | 'write';
  /** The syscall whose capability it takes, where it is another's. */
  under?: string;
  /** Runs on a device when `args.target` names one. */
  routable: boolean;
  /** Whether bytes accompany the arguments, the result, or neither. */
  bytes?: 'in' | 'out';
  /** Offered to models under this name. */
  tool?: { name: string; description: string };
};

export function declare<Args extends TObject, Result extends TSchema>(
  syscall: Syscall<Args, Result>,
): Syscall<Args, Result> {
  return syscall;
}

export const strict = { additionalProperties: false } as const;

/** An object that refuses unknown fields. */
export function record<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object(fields, strict);
}

export const optional = Type.Optional;
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const literals = <const Names extends string[]>(names: readonly [...Names]) => Type.Enum(names);

export const Empty = record({});
/** The result of an operation that failed without being a routing or authority error. */
export const OperationError = record({ ok: Type.Literal(false), error: Type.String() });
export type OperationError = Static<typeof OperationError>;

/** Text from outside: bounded, so that no frame can smuggle more than a gate expects. */
export const Name = Type.String({ minLength: 1, maxLength: 256 });
export const Path = Type.String({ minLength: 1, maxLength: 4096 });
export const Text = Type.String({ maxLength: 64 * 1024 * 1024 });
export const Target = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Where to run: "gsv" or a device id.',
});
/** Milliseconds since the epoch. */
export const Time = Type.Integer({ minimum: 0 });
/** Number of a channel of binary frames. */
export const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Lower-case hexadecimal SHA-256.',
});
export const Channel = Type.Integer({ minimum: 1, maximum: 0xffffffff });
export const Count = Type.Integer({ minimum: 0 });
