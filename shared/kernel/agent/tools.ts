import { SyscallError } from '../../protocol/errors.ts';
import { checkArgs, covers } from '../../syscalls/gate.ts';
import { type SyscallName, syscallNames, table } from '../../syscalls/table.ts';
import type { ModelTool } from '../ports/models.ts';
import { NATIVE_TARGET } from '../routing.ts';

/** What a tool call of a model means, or why it means nothing. */
export type PreparedCall =
  | { kind: 'call'; syscall: SyscallName; target: string; args: Record<string, unknown> }
  | { kind: 'refused'; syscall: SyscallName | null; error: string };

const syscallByTool = new Map<string, SyscallName>(
  syscallNames.flatMap((name) => {
    const tool = table[name].tool;
    return tool ? [[tool.name, name] as const] : [];
  }),
);

/** The tools that these capabilities allow, with `target` required where a call can be routed. */
export function toolsFor(capabilities: readonly string[]): ModelTool[] {
  return [...syscallByTool].flatMap(([name, syscall]) => {
    const tool = table[syscall].tool;
    if (!tool || !covers(capabilities, syscall)) return [];
    return [{ name, description: tool.description, parameters: parametersOf(syscall) }];
  });
}

/** Checks a model's call by the table, whatever the provider's library did with it. Never throws. */
export function prepareCall(toolName: string, args: Record<string, unknown>): PreparedCall {
  const syscall = syscallByTool.get(toolName);
  if (!syscall) {
    const known = [...syscallByTool.keys()].join(', ');
    return {
      kind: 'refused',
      syscall: null,
      error: `There is no tool named ${toolName}. The tools are: ${known}.`,
    };
  }
  try {
    const checked = checkArgs(syscall, withoutNulls(args)) as Record<string, unknown>;
    const target = checked.target;
    if (typeof target === 'string') return { kind: 'call', syscall, target, args: checked };
    if (checked.sessionId !== undefined) return { kind: 'call', syscall, target: '', args: checked };
    return { kind: 'refused', syscall, error: `target is required: "${NATIVE_TARGET}" or a device id.` };
  } catch (thrown) {
    const error = thrown instanceof SyscallError ? thrown.message : 'Invalid arguments';
    return { kind: 'refused', syscall, error };
  }
}

/** Models write null for "not given". */
function withoutNulls(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}

/** The schema as a model needs it: types, enumerations and requirements, without the gate's bounds. */
function parametersOf(syscall: SyscallName): Record<string, unknown> {
  const schema = table[syscall].args as unknown as JsonSchema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, withoutBounds(property)]),
  );
  const required = schema.required ?? [];
  return {
    type: 'object',
    properties,
    required: table[syscall].routable ? ['target', ...required] : required,
  };
}

type JsonSchema = {
  type?: string;
  enum?: unknown[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
};

function withoutBounds({ type, enum: values, description }: JsonSchema): JsonSchema {
  return {
    ...(type ? { type } : {}),
    ...(values ? { enum: values } : {}),
    ...(description ? { description } : {}),
  };
}
