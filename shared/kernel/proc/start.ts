import { SyscallError } from '../../protocol/errors.ts';
import type { ProcessRow } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Caller } from '../handler.ts';
import { named } from '../ipc/envelopes.ts';
import type { Delivery } from './delivery.ts';
import { type SpawnParts, spawn } from './spawn.ts';

export type StartParts = SpawnParts & { flush(): Promise<void> };

/** Spawns, and gives the process its prompt. Called again under its key it is the same process, and told once. */
export async function start(
  parts: StartParts,
  args: Args<'proc.spawn'>,
  { identity, origin }: Caller,
  key: string | undefined,
): Promise<Result<'proc.spawn'>> {
  const { tables, processes, random, flush } = parts;
  const own = origin.kind === 'process' ? origin.pid : null;
  const parentPid = args.parentPid ?? own;
  if (parentPid !== null) processes.demand(parentPid, identity);
  // Its limits count below its own place.
  if (own !== null && parentPid !== own) throw new SyscallError(403, 'Permission denied');
  const wanted = key === undefined ? random.uuid() : causeId('spawn', `${identity.uid}/${key}`);
  const known = tables.processes.get(wanted);
  const spawned = known
    ? ({ ok: true, row: known } as const)
    : await spawn(parts, identity, args, parentPid, wanted);
  if (!spawned.ok) return spawned;
  await flush().catch((thrown) => {
    // What was refused must not come true later.
    if (spawned.row !== known && spawned.row.pid === wanted) tables.processes.delete(wanted);
    throw thrown;
  });
  const { pid, label, profile, workspaceId, cwd } = spawned.row;
  const first = firstMessage(args, own === null ? undefined : processes.row(own));
  if (first && processes.row(pid))
    await processes.deliver(pid, { ...first, messageId: causeId('prompt', wanted) });
  return { ok: true, pid, ...(label ? { label } : {}), profile, workspaceId, cwd };
}

/** What a process begins with: a person's words, or an event when an agent spawned it or its assignment is all. */
function firstMessage(
  { prompt, assignment }: Args<'proc.spawn'>,
  parent: ProcessRow | undefined,
): Omit<Delivery, 'messageId'> | null {
  if (prompt && !parent) return { text: prompt, origin: 'user' };
  if (!prompt && !assignment?.autoStart) return null;
  const by = parent ? ` by ${named(parent)}` : '';
  const what = prompt ?? 'Your assignment stands in your context. Begin.';
  return { text: `proc.spawn: started${by}\n\n${what}`, origin: 'event' };
}
