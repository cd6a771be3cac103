import { Value } from 'typebox/value';
import { SyscallError } from '../protocol/errors.ts';
import { matches } from '../std/matches.ts';
import { type Args, isSyscall, type SyscallName, table } from './table.ts';

/** The name, if there is such a syscall. Throws 404. */
export function checkName(call: string): SyscallName {
  if (!isSyscall(call)) throw new SyscallError(404, `Unknown syscall: ${call}`);
  return call;
}

/** The arguments, if they are what the table says. Throws 400 with the path of the first wrong field. */
export function checkArgs<Name extends SyscallName>(name: Name, args: unknown): Args<Name> {
  const value = args ?? {};
  const schema = table[name].args;
  if (matches(schema, value)) return value as Args<Name>;
  const [first] = Value.Errors(schema, value);
  const path = first?.instancePath || '/';
  const params = first?.params as
    | { additionalProperties?: string[]; requiredProperties?: string[] }
    | undefined;
  const field = params?.requiredProperties?.[0]
    ? `${path === '/' ? '' : path}/${params.requiredProperties[0]}`
    : path;
  const problem = first?.message === 'schema is false' ? 'unknown field' : (first?.message ?? 'malformed');
  throw new SyscallError(400, `Invalid arguments for ${name}: ${field} ${problem}`, {
    details: { path: field },
  });
}

/** A result that came from another program. Throws 502 when it is not what the table says. */
export function checkResult(name: SyscallName, result: unknown): unknown {
  if (matches(table[name].result, result)) return result;
  throw new SyscallError(502, `Malformed result of ${name}`);
}

/** Whether capability patterns (`*`, `fs.*`, `shell.exec`) cover a syscall. */
export function covers(capabilities: readonly string[], call: string): boolean {
  return capabilities.some(
    (capability) =>
      capability === '*' ||
      capability === call ||
      (capability.endsWith('.*') && call.startsWith(capability.slice(0, -1))),
  );
}

/** The capability that a syscall takes: mostly that of its own name. */
export function capabilityOf(name: SyscallName): string {
  return table[name].under ?? name;
}

/** Throws 403 unless the capabilities cover the syscall. */
export function checkCapability(capabilities: readonly string[], call: string): void {
  if (!covers(capabilities, call)) throw new SyscallError(403, `Permission denied: ${call}`);
}
