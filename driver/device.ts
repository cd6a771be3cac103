import { messageOf, SyscallError } from '../shared/protocol/errors.ts';
import type { IncomingCall, Reply } from '../shared/protocol/peer.ts';
import type { ByteStream } from '../shared/protocol/streams.ts';
import type { Clock } from '../shared/std/clock.ts';
import { checkArgs, checkName } from '../shared/syscalls/gate.ts';
import { type Args, type SyscallName, table } from '../shared/syscalls/table.ts';
import { type HostCall, type HostInvocation, hostCalls, type hostHandlers } from './host/host.ts';
import { operation } from './host/operation.ts';
import type { Journal } from './journal/journal.ts';
import type { Log } from './log/log.ts';
import { type Policy, refusal } from './policy/policy.ts';

export type DeviceParts = {
  id: string;
  handlers: ReturnType<typeof hostHandlers>;
  journal: Journal;
  /** Named in errors about the journal. */
  stateDirectory: string;
  policy: Policy;
  log: Log;
  clock: Clock;
};

/** Answers calls as this device: the gate again, the machine's policy, the journal, then the handler. */
export function device(parts: DeviceParts): (call: IncomingCall) => Promise<Reply> {
  return async (call) => {
    const started = parts.clock.now();
    try {
      const reply = await answer(parts, call);
      logCall(parts, call, started, outcomeOf(reply.data));
      return reply;
    } catch (thrown) {
      const known = thrown instanceof SyscallError;
      logCall(parts, call, started, known ? `error ${thrown.code}` : `failed: ${messageOf(thrown)}`);
      throw thrown;
    } finally {
      // Bytes that nobody wanted would keep their sender waiting.
      if (call.stream && !call.stream.locked) void call.stream.cancel().catch(() => {});
    }
  };
}

async function answer(parts: DeviceParts, call: IncomingCall): Promise<Reply> {
  const name = checkName(call.call);
  if (!isHostCall(name)) throw new SyscallError(400, `Device ${parts.id} does not implement ${name}`);
  const args = checkArgs(name, call.args);
  if (args.target !== undefined && args.target !== parts.id) {
    throw new SyscallError(400, `This is device ${parts.id}, not ${args.target}`);
  }
  const refused = refusal(parts.policy, name);
  if (refused) return { data: refused };
  let bytes: ByteStream | undefined;
  const invocation: HostInvocation = {
    signal: call.signal,
    key: call.key,
    ttl: call.ttl,
    stream: call.stream,
    progress: (text) => call.progress(text),
    sendBytes: (stream) => {
      bytes = stream;
    },
  };
  const data = await execute(parts, name, args, invocation);
  return bytes ? { data, stream: bytes } : { data };
}

/** Calls that change something happen once for each key; the others cost no journal. */
function execute<Name extends HostCall>(
  { handlers, journal, stateDirectory }: DeviceParts,
  name: Name,
  args: Args<Name>,
  invocation: HostInvocation,
): Promise<unknown> {
  const run = (): Promise<unknown> => handlers[name](args, invocation);
  if (table[name].effect === 'read' || invocation.key === undefined) return run();
  const { key } = invocation;
  return operation(stateDirectory, () => journal.once(key, name, run));
}

function isHostCall(name: SyscallName): name is HostCall {
  return (hostCalls as readonly string[]).includes(name);
}

function outcomeOf(data: unknown): string {
  const { ok, status } = (data ?? {}) as { ok?: unknown; status?: unknown };
  if (typeof status === 'string') return status;
  return ok === false ? 'refused' : 'ok';
}

function logCall(parts: DeviceParts, call: IncomingCall, started: number, outcome: string): void {
  const durationMs = parts.clock.now() - started;
  // The name comes from outside: only one that the table knows is written down.
  const name = Object.hasOwn(table, call.call) ? call.call : 'unknown';
  parts.log({
    level: outcome.startsWith('failed:') ? 'error' : 'info',
    event: 'call',
    call: name,
    durationMs,
    outcome,
  });
}
