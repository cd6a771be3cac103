import { Type } from 'typebox';
import { Count, declare, Empty, literals, Name, nullable, optional, record } from './declare.ts';
import { ConversationId } from './proc.ts';

const Address = Type.String({ minLength: 1, maxLength: 2048 });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Ok = record({ ok: Type.Literal(true) });
const Engine = literals(['wllama', 'webllm', 'browser']);

export const UsingConversation = record({
  pid: Name,
  conversationId: ConversationId,
  /** Its title; null where it has none. */
  title: nullable(Type.String()),
  /** The name of its process; null where it has none. */
  label: nullable(Type.String()),
  profile: Type.String(),
});
export type UsingConversation = Type.Static<typeof UsingConversation>;

export const LocalModelRow = record({
  id: Name,
  name: Type.String(),
  engine: Engine,
  /** Billions; null where nobody says it. */
  parameters: nullable(Type.Number()),
  bytes: Count,
  storedBytes: Count,
  contextWindow: Count,
  licence: Type.String(),
  address: Type.String(),
  callsTools: Type.Boolean(),
  state: literals(['absent', 'downloading', 'paused', 'ready', 'failed']),
  problem: Type.String(),
  sha256: Type.String(),
  checked: Type.Boolean(),
  tokensPerSecond: Type.Number(),
  /** Why this device cannot run it, or not well; empty when it can. */
  unfit: Type.String(),
  /**
   * `main`: the account's model is this one. `standIn`: the chain goes on with it, and what is pinned to this device asks
   * it. The open conversations whose next run asks it first: the newest of them, and how many there are.
   */
  use: record({
    main: Type.Boolean(),
    standIn: Type.Boolean(),
    conversations: Type.Array(UsingConversation),
    total: Count,
  }),
});

/** Models that run on this device: their files, and what the device can do. */
export const aiLocalSyscalls = {
  'ai.local.list': declare({
    doc: 'The models that run on this device: those that lie here and those proposed, and what the device can run.',
    args: Empty,
    result: record({
      device: record({
        gpu: nullable(record({ name: Type.String(), shaderF16: Type.Boolean() })),
        memoryGb: nullable(Type.Number()),
        freeBytes: nullable(Count),
        wasm: Type.Boolean(),
      }),
      models: Type.Array(LocalModelRow),
    }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'ai.local.download': declare({
    doc: 'Begins the download of a proposed model, or goes on with one. It continues across tabs and reloads.',
    args: record({ id: Name }),
    result: Ok,
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'ai.local.add': declare({
    doc: 'Begins the download of a GGUF file from an address, checked against its SHA-256 where one is given; with `library`, of a model compiled for WebLLM: `address` is the folder of its weights, `library` its program.',
    args: record({
      address: Address,
      sha256: optional(Sha256),
      library: optional(Address),
      callsTools: optional(Type.Boolean()),
    }),
    result: record({ id: Name }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'ai.local.pause': declare({
    doc: 'Pauses a download; what is there stays.',
    args: record({ id: Name }),
    result: Ok,
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'ai.local.remove': declare({
    doc: 'Deletes a model from this device.',
    args: record({ id: Name }),
    result: Ok,
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'ai.local.import': declare({
    doc: 'Stores a GGUF file, which comes as bytes, as a model of this device.',
    args: record({ name: Name }),
    result: record({ id: Name }),
    audience: 'person',
    effect: 'write',
    routable: false,
    bytes: 'in',
  }),
};
