import { SyscallError } from '../../protocol/errors.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { Caller } from '../handler.ts';
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
  await flush();
  const { pid, label, profile, workspaceId, cwd } = spawned.row;
  const messageId = causeId('prompt', wanted);
  if (args.prompt && processes.row(pid))
    await processes.deliver(pid, { messageId, text: args.prompt, origin: 'user' });
  return { ok: true, pid, ...(label ? { label } : {}), profile, workspaceId, cwd };
}
