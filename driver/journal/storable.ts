import { shorten } from '../host/shell/output.ts';

/** Of a command's output, this many characters are kept to answer a repeated key. */
const STORED_OUTPUT = 64 * 1024;

/** A result as the journal keeps it: long output is shortened, and says so. */
export function storable(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('output' in result)) return result;
  const { output } = result;
  if (typeof output !== 'string' || output.length <= STORED_OUTPUT) return result;
  return { ...result, output: shorten(output, STORED_OUTPUT), truncated: true };
}
