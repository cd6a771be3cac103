import { limits } from '../../protocol/limits.ts';
import type { ProcessRow, SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { ProcessIdentity } from '../../syscalls/proc.ts';
import type { Result } from '../../syscalls/table.ts';
import { parsePolicy } from '../agent/approval-policy.ts';
import { judge } from '../agent/judge.ts';
import { prepareRun } from '../agent/prepare.ts';
import type { RunEnding } from '../agent/run-ending.ts';
import { capabilitiesOf } from '../auth/accounts.ts';
import type { UsageLedger } from '../budget/ledger.ts';
import { spendingOf } from '../budget/spending.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { FileSystem } from '../fs/file-system.ts';
import type { Caller, Syscalls } from '../handler.ts';
import type { MediaStore } from '../media/media-store.ts';
import type { Models } from '../ports/models.ts';
import type { Devices } from '../sync/devices.ts';
import type { Config } from '../sys/config.ts';
import type { RunNotices } from '../sys/run-notices.ts';
import { compact, segmentId } from './compaction.ts';
import { ConversationRows, DEFAULT_POLICY } from './conversation-rows.ts';
import type { LiveFrames } from './live-frames.ts';
import type { ProcessStates } from './process-states.ts';
import type { ProcessesParts } from './processes.ts';
import { findProfile } from './profiles.ts';

/** Model calls of one run where the account sets no limit. */
const DEFAULT_MAX_TURNS = 60;

export type ProcessWorld = {
  tables: SystemTables;
  processStates: ProcessStates;
  config: Config;
  models: Models;
  fs: FileSystem;
  devices: Devices;
  usage: UsageLedger;
  media: MediaStore;
  notices: RunNotices;
  clock: Clock;
  random: Random;
  dispatcher(): Dispatcher;
  broadcast(uid: number, signal: string, payload: Record<string, unknown>): void;
  /** To pages of other replicas. */
  frames: LiveFrames;
  /** A run has ended; called in the write of its end. */
  ended(row: ProcessRow, conversationId: string, ending: RunEnding): void;
};

/** Syscalls as one caller, through every check of the dispatcher. */
export function syscallsFor(dispatcher: () => Dispatcher, caller: Caller): Syscalls {
  const open: Syscalls['open'] = async (name, args, options = {}) => {
    const { signal = new AbortController().signal, timeoutMs = limits.callTimeoutMs, ...rest } = options;
    const answer = await dispatcher().dispatch(caller, name, args, { ...rest, signal, timeoutMs });
    return { result: answer.data as Result<typeof name>, stream: answer.stream };
  };
  return { open, call: async (name, args, options) => (await open(name, args, options)).result };
}

/** What a conversation of a process needs of the kernel around it. */
export function processParts(
  world: ProcessWorld,
  row: ProcessRow,
  conversationId: string,
): ReturnType<ProcessesParts['partsFor']> {
  const { config, models, clock, random, fs, devices, tables } = world;
  const caller: Caller = {
    identity: identityOf(row),
    capabilities: capabilitiesOf(tables, row),
    origin: { kind: 'process', pid: row.pid, runId: '', conversationId },
  };
  const { identity } = caller;
  const syscalls = syscallsFor(world.dispatcher, caller);
  /** What a child was given for its task bounds it, too. */
  const budgetOf = (name: string, setting: string | undefined): string | undefined => {
    const given =
      name === 'ai/budget/process_cost' ? tables.processes.get(row.pid)?.task?.maxCost : undefined;
    return given === undefined ? setting : String(Math.min(given, Number(setting) || given));
  };
  const limit = (name: string, fallback: number): number =>
    Number(config.resolve(row.uid, `ai/${name}`)) || fallback;
  const rows = new ConversationRows(tables, world.processStates);
  const isPrivate = (): boolean => rows.isPrivate(row.pid, conversationId);
  const judging = {
    identity,
    pid: row.pid,
    profile: row.profile,
    interactive: findProfile(row.profile)?.interactive ?? true,
    policy: () => parsePolicy(config.resolve(row.uid, 'ai/tools/approval')),
    approvals: () => tables.approvals.rows(),
    private: isPrivate,
  };
  return {
    models,
    clock,
    random,
    syscalls,
    media: {
      read: (media) => world.media.read(media),
      keepImages: (content) => world.media.keepImages(row, content),
    },
    judge: (call) => judge(judging, call),
    devicesSettled: (signal) => devices.settled(signal),
    reachable: ({ target, args }, ms, signal) => {
      // A call that goes on with a session names no target.
      const session = tables.shellSessions.get(String(args.sessionId));
      return devices.reachable(target || (session?.deviceId ?? ''), ms, signal);
    },
    spending: spendingOf(world.usage, row, (name) => budgetOf(name, config.resolve(row.uid, name))),
    prepare: (instead) => {
      const most = tables.processes.get(row.pid)?.task?.maxTurns ?? Number.POSITIVE_INFINITY;
      const runLimits = { maxTurns: Math.min(limit('max_turns', DEFAULT_MAX_TURNS), most) };
      return prepareRun({ syscalls, fs, identity, profile: row.profile, limits: runLimits, instead });
    },
    ended: (ending) => world.ended(row, conversationId, ending),
    compaction: {
      policy: () => tables.conversations.get(`${row.pid}/${conversationId}`)?.policy ?? DEFAULT_POLICY,
      compact: (conversation, keepLast, summarise) => {
        const id = segmentId(clock.now(), random);
        const about = { fs, process: row, conversationId, conversation, now: clock.now(), id };
        return compact(about, { keepLast }, summarise);
      },
    },
    emit: (signal, payload) => {
      const about = { pid: row.pid, conversationId, timestamp: clock.now() };
      // Notices are everywhere, and have words of the run in them.
      if (!isPrivate()) world.notices.heard(row, signal, payload);
      world.broadcast(row.uid, signal, { ...about, ...payload });
      if (!isPrivate()) world.frames.send(row.uid, signal, { ...about, ...payload });
    },
  };
}

function identityOf({ uid, gid, gids, username, home, cwd, workspaceId }: ProcessRow): ProcessIdentity {
  return { uid, gid, gids, username, home, cwd, workspaceId };
}
