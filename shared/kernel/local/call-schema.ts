import type { ModelTool } from '../ports/models.ts';

export type JsonSchema = Record<string, unknown>;

/**
 * What a model that is held to a schema may answer: one object that speaks, or one that calls a tool. Engines turn it
 * into a grammar, so that a call is well-formed whatever the weights are.
 */
export function answerSchema(tools: readonly ModelTool[]): JsonSchema {
  const say = closed({ say: { type: 'string' } }, ['say']);
  return { anyOf: [say, ...tools.map(callSchema)] };
}

function callSchema({ name, parameters }: ModelTool): JsonSchema {
  const properties = Object.entries((parameters.properties ?? {}) as Record<string, JsonSchema>);
  const bare = Object.fromEntries(properties.map(([key, schema]) => [key, withoutWords(schema)]));
  const args = closed(bare, (parameters.required ?? []) as string[]);
  return closed({ tool: { const: name }, arguments: args }, ['tool', 'arguments']);
}

function closed(properties: JsonSchema, required: string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

function withoutWords({ description: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** How to answer, in as few tokens as it takes; joined to the system prompt. */
export function answerRules(tools: readonly ModelTool[]): string {
  const lines = tools.map(
    ({ name, description, parameters }) => `${name}(${parameterNames(parameters)}): ${description}`,
  );
  return [
    'Answer with one JSON object and nothing else.',
    'To speak to the user: {"say":"your words"}',
    'To use a tool: {"tool":"NAME","arguments":{...}} Its result comes back to you; then go on.',
    'Tools:',
    ...lines,
  ].join('\n');
}

/** `path, content, cwd?` with the values where they are few. */
function parameterNames(parameters: JsonSchema): string {
  const required = new Set((parameters.required ?? []) as string[]);
  const properties = (parameters.properties ?? {}) as Record<string, JsonSchema>;
  return Object.entries(properties)
    .map(([name, { enum: values }]) => {
      const listed = Array.isArray(values)
        ? `: ${values.map((value) => JSON.stringify(value)).join('|')}`
        : '';
      return `${name}${required.has(name) ? '' : '?'}${listed}`;
    })
    .join(', ');
}
