import { type Static, Type } from 'typebox';
import { JsonObject } from '../../std/json-object.ts';
import { literals, nullable } from '../../syscalls/declare.ts';
import { ENGINES } from './engine-names.ts';

/**
 * What a page lends its kernel: a program that runs one language model at a time, in a Worker of the page (or in the
 * page itself, for the browser's own model). Spoken over a peer: the kernel calls, the lender answers.
 */
export const EngineName = literals(ENGINES);

export const EngineMessage = Type.Object({
  role: literals(['system', 'user', 'assistant']),
  content: Type.String(),
});
export type EngineMessage = Static<typeof EngineMessage>;

/** `files` are paths below the origin's private file system, pieces of one file in their order. */
export const LoadArgs = Type.Object({
  engine: EngineName,
  model: Type.String(),
  files: Type.Array(Type.String()),
  contextWindow: Type.Integer({ minimum: 1 }),
});
export type LoadArgs = Static<typeof LoadArgs>;

/** `constrains`: whether the engine holds an answer to a JSON schema. */
export const Loaded = Type.Object({
  contextWindow: Type.Integer({ minimum: 1 }),
  constrains: Type.Boolean(),
});
export type Loaded = Static<typeof Loaded>;

export const GenerateArgs = Type.Object({
  /** Names the deltas of this generation. */
  id: Type.String(),
  messages: Type.Array(EngineMessage),
  /** The JSON schema of the whole answer; null for free text. */
  schema: nullable(JsonObject),
  maxTokens: Type.Integer({ minimum: 1 }),
});
export type GenerateArgs = Static<typeof GenerateArgs>;

export const Generated = Type.Object({
  stop: literals(['stop', 'length']),
  /** Tokens; of `input`, `cached` needed no work. Null where the engine does not count. */
  usage: nullable(Type.Object({ input: Type.Number(), output: Type.Number(), cached: Type.Number() })),
  /** Milliseconds from the first token to the last. */
  generatingMs: Type.Number(),
});
export type Generated = Static<typeof Generated>;

export const Delta = Type.Object({ id: Type.String(), text: Type.String() });

export const LOAD = 'engine.load';
export const GENERATE = 'engine.generate';
export const UNLOAD = 'engine.unload';
/** Signal of the lender: text of a generation, as it comes. */
export const DELTA = 'engine.delta';

/** A model that runs on this device. Rejections say what went wrong, in words for a person. */
export interface Engine {
  /** Replaces what was loaded before. `onProgress` must not throw. */
  load(args: LoadArgs, onProgress: (text: string) => void, signal: AbortSignal): Promise<Loaded>;
  generate(args: GenerateArgs, onText: (text: string) => void, signal: AbortSignal): Promise<Generated>;
  unload(): Promise<void>;
}
