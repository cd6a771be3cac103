import { Type } from 'typebox';
import { Count, declare, Empty, literals, Name, nullable, optional, record } from './declare.ts';
import { Profile } from './proc.ts';

const ContextFiles = Type.Array(record({ name: Type.String(), text: Type.String() }));

export const aiSyscalls = {
  'ai.tools': declare({
    doc: 'The tools that the calling process may offer its model, and the devices it can reach.',
    args: Empty,
    result: record({
      tools: Type.Array(
        record({
          name: Name,
          description: Type.String(),
          inputSchema: Type.Record(Type.String(), Type.Unknown()),
        }),
      ),
      devices: Type.Array(
        record({
          id: Name,
          implements: Type.Array(Type.String()),
          description: optional(Type.String()),
          platform: optional(Type.String()),
        }),
      ),
    }),
    audience: 'process',
    effect: 'read',
    routable: false,
  }),
  'ai.config': declare({
    doc: 'The model and prompt settings of the calling process, resolved from its user and the system.',
    args: record({
      profile: optional(Profile),
      /** Why the account's own model cannot be asked: the next of its chain is meant. */
      instead: optional(literals(['offline', 'budget'])),
    }),
    result: record({
      profile: optional(Profile),
      provider: Type.String(),
      model: Type.String(),
      apiKey: Type.String(),
      baseUrl: optional(Type.String()),
      reasoning: optional(Type.String()),
      maxTokens: Count,
      contextWindowTokens: nullable(Count),
      input: optional(Type.Array(literals(['text', 'image']))),
      contextWindowSource: literals(['model', 'config', 'unknown']),
      systemContextFiles: optional(ContextFiles),
      profileContextFiles: optional(ContextFiles),
      skillIndex: optional(
        Type.Array(
          record({
            id: Name,
            name: Name,
            description: Type.String(),
            source: record({
              kind: literals(['profile', 'home', 'workspace', 'package']),
              label: Type.String(),
              writable: Type.Boolean(),
            }),
          }),
        ),
      ),
      profileApprovalPolicy: optional(nullable(Type.String())),
      maxContextBytes: Count,
      /** For which of these the chain has a next model. */
      fallbacks: optional(Type.Array(literals(['offline', 'budget']))),
    }),
    audience: 'process',
    effect: 'read',
    routable: false,
  }),
  'ai.models': declare({
    doc: 'Lists the models of a provider, asking an OpenAI-compatible address where one is given.',
    args: record({
      provider: Name,
      baseUrl: optional(Type.String({ maxLength: 2048 })),
      apiKey: optional(Type.String({ maxLength: 4096 })),
    }),
    result: record({
      models: Type.Array(record({ id: Type.String(), name: Type.String(), contextWindow: optional(Count) })),
    }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'ai.test': declare({
    doc: 'Asks the configured model for one word and says, in plain words, what is wrong when it cannot.',
    args: record({
      provider: optional(Name),
      model: optional(Name),
      baseUrl: optional(Type.String({ maxLength: 2048 })),
      apiKey: optional(Type.String({ maxLength: 4096 })),
    }),
    result: Type.Union([
      record({ ok: Type.Literal(true), text: Type.String(), durationMs: Count, viaRelay: Type.Boolean() }),
      record({ ok: Type.Literal(false), error: Type.String() }),
    ]),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
};
