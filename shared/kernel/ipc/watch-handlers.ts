import { SyscallError } from '../../protocol/errors.ts';
import type { WatchRow } from '../../state/ipc.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import { signalNames } from '../../syscalls/table.ts';
import type { Handlers } from '../handler.ts';
import { callingProcess, clamped, conversationOf, type IpcParts, sameOwner } from './handlers.ts';
import { isNamed, type Watches } from './watches.ts';

const TTL_MS = { least: 1_000, usual: 24 * 3_600_000, most: 30 * 24 * 3_600_000 };
const STATE_CHARACTERS = 4_000;
const MOST_WATCHES = 64;
/** What is sent many times a second, or is about one page. */
const STREAMS = ['proc.run.stream', 'proc.run.tool.output', 'view.patch'];
const watchable = signalNames.filter((name) => !STREAMS.includes(name));

export type WatchParts = IpcParts & { watches: Watches; flush(): Promise<void> };

export function watchHandlers(parts: WatchParts): Handlers<'signal.watch' | 'signal.unwatch'> {
  return {
    'signal.watch': async (args, { caller }) => {
      const watcher = callingProcess(parts.processes, caller);
      check(parts, watcher, caller.identity, args);
      const { watch, created } = upserted(parts, watcher, conversationOf(caller, watcher), args);
      parts.watches.put(watch);
      await parts.flush();
      const { watchId, createdAt, expiresAt } = watch;
      return { watchId, created, createdAt, expiresAt };
    },
    'signal.unwatch': async ({ watchId, key }, { caller }): Promise<Result<'signal.unwatch'>> => {
      const { pid } = callingProcess(parts.processes, caller);
      if ((watchId === undefined) === (key === undefined))
        throw new SyscallError(400, 'Give a watchId or a key');
      const meant = parts.watches
        .of(pid)
        .filter((row) => (key === undefined ? row.watchId === watchId : row.key === key));
      for (const row of meant) parts.watches.remove(row);
      await parts.flush();
      return { removed: meant.length };
    },
  };
}

/** Throws 400, 403 or 404 for what cannot be watched. */
function check(
  parts: WatchParts,
  { pid }: ProcessRow,
  identity: ProcessIdentity,
  { signal, processId, state, once, key }: Args<'signal.watch'>,
): void {
  const { watches } = parts;
  if (!watchable.some((name) => isNamed(signal, name)))
    throw new SyscallError(400, `There is no signal ${signal} to watch; there are: ${watchable.join(' ')}`);
  const isOfProcess = signal.startsWith('proc.');
  if (isOfProcess && processId === undefined)
    throw new SyscallError(400, `Say whose ${signal} is watched: processId`);
  if (!isOfProcess && processId !== undefined)
    throw new SyscallError(400, `${signal} is no signal of a process: leave out processId`);
  if (processId === pid) throw new SyscallError(400, 'A process cannot watch itself');
  if (processId !== undefined) {
    sameOwner(parts, processId, identity);
    if (once === false && isWatchedBy(watches, processId, pid))
      throw new SyscallError(400, 'It watches this process: each would wake the other without end');
  }
  if (state !== undefined && JSON.stringify(state).length > STATE_CHARACTERS)
    throw new SyscallError(400, `The state is longer than ${STATE_CHARACTERS} characters`);
  const own = watches.of(pid);
  if (own.length >= MOST_WATCHES && !own.some((row) => key !== undefined && row.key === key))
    throw new SyscallError(429, `This process has ${MOST_WATCHES} watches already`);
}

/** Whether `watcher` is woken by `pid` again and again, by itself or through others. */
function isWatchedBy(watches: Watches, watcher: string, pid: string, seen = new Set<string>()): boolean {
  if (seen.has(watcher)) return false;
  seen.add(watcher);
  const next = watches.of(watcher).filter((row) => !row.once && row.status === 'active');
  return next.some(
    ({ processId }) =>
      processId !== null && (processId === pid || isWatchedBy(watches, processId, pid, seen)),
  );
}

function upserted(
  { watches, clock, random }: WatchParts,
  watcher: ProcessRow,
  conversationId: string,
  args: Args<'signal.watch'>,
): { watch: WatchRow; created: boolean } {
  const now = clock.now();
  const known =
    args.key === undefined ? undefined : watches.of(watcher.pid).find(({ key }) => key === args.key);
  const watch: WatchRow = {
    watchId: known?.watchId ?? random.uuid(),
    uid: watcher.uid,
    pid: watcher.pid,
    conversationId,
    signal: args.signal,
    processId: args.processId ?? null,
    key: args.key ?? null,
    ...(args.state === undefined ? {} : { state: args.state }),
    once: args.once ?? true,
    createdAt: known?.createdAt ?? now,
    expiresAt: now + clamped(args.ttlMs, TTL_MS),
    status: 'active',
    count: known?.count ?? 0,
    lastAt: known?.lastAt ?? null,
  };
  return { watch, created: known === undefined };
}
