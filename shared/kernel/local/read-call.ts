import { readNearJson } from './repair-json.ts';

export type ReadCall = { name: string; arguments: Record<string, unknown> };

/** What models of other schools call the two fields. */
const NAME_KEYS = ['tool', 'name', 'function', 'tool_name', 'action'];
const ARGUMENT_KEYS = ['arguments', 'args', 'parameters', 'params', 'input', 'action_input'];
const FENCED = /```(?:json|tool_call)?\s*([\s\S]*?)(?:```|$)/;
const TAGGED = /<tool_call>\s*([\s\S]*?)(?:<\/tool_call>|$)/;

/**
 * The tool call that a text means, by one of `names`: an exact one, or one that misses the form a little. Undefined for
 * a text that means none: prose with a brace in it is prose.
 */
export function readCall(text: string, names: readonly string[]): ReadCall | undefined {
  const inner = (TAGGED.exec(text) ?? FENCED.exec(text))?.[1] ?? text;
  if (!inner.trimStart().startsWith('{')) return undefined;
  const value = readNearJson(inner);
  return value && callOf(value, names);
}

function callOf(value: Record<string, unknown>, names: readonly string[]): ReadCall | undefined {
  const inner = value.function;
  if (typeof inner === 'object' && inner !== null) return callOf(inner as Record<string, unknown>, names);
  const name = known(
    NAME_KEYS.map((key) => value[key]).find((said) => typeof said === 'string'),
    names,
  );
  if (name !== undefined) return { name, arguments: argumentsOf(value) };
  // {"Write": {"path": …}}
  const [only, ...more] = Object.entries(value);
  const named = only && more.length === 0 ? known(only[0], names) : undefined;
  return named !== undefined && only ? { name: named, arguments: asRecord(only[1]) } : undefined;
}

function known(said: unknown, names: readonly string[]): string | undefined {
  if (typeof said !== 'string') return undefined;
  const plain = said.trim().toLowerCase();
  return names.find((name) => name.toLowerCase() === plain);
}

function argumentsOf(value: Record<string, unknown>): Record<string, unknown> {
  const key = ARGUMENT_KEYS.find((candidate) => candidate in value);
  if (key !== undefined) return asRecord(value[key]);
  return Object.fromEntries(Object.entries(value).filter(([name]) => !NAME_KEYS.includes(name)));
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return readNearJson(value) ?? {};
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
