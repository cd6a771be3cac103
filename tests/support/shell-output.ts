import { expect } from 'vitest';

/** All that a command printed on a device, however long it takes: `first` is its first answer. It is to end well. */
export async function outputOf(
  poll: (args: { sessionId: string | undefined; input: string }) => Promise<{ data?: unknown }>,
  first: unknown,
): Promise<string> {
  let now = first as { status: string; output: string; sessionId?: string };
  let { output } = now;
  while (now.status === 'running') {
    now = (await poll({ sessionId: now.sessionId, input: '' })).data as typeof now;
    output += now.output;
  }
  expect(now).toMatchObject({ status: 'completed', exitCode: 0 });
  return output;
}
