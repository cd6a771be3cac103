import { RequestFrame, ResponseFrame, SignalFrame } from '../protocol/frames.ts';
import { signalNames, syscallNames, table } from './table.ts';

/**
 * Everything two programs must agree on, as one text that is the same whenever the meaning is: frames, signals and
 * syscalls, keys sorted, words for people left out. The protocol's hash lock is taken over it.
 */
export function canonicalProtocol(): string {
  const syscalls = Object.fromEntries(
    syscallNames.map((name) => {
      const { args, result, audience, effect, routable, ...rest } = table[name];
      return [name, { args, result, audience, effect, routable, bytes: 'bytes' in rest ? rest.bytes : null }];
    }),
  );
  return canonicalJson({
    frames: { RequestFrame, ResponseFrame, SignalFrame },
    signals: signalNames,
    syscalls,
  });
}

/** JSON with sorted keys and without the `description` texts of schemas. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([key, inner]) => inner !== undefined && !(key === 'description' && typeof inner === 'string'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
  return `{${fields.join(',')}}`;
}
