import type { EventRow, WatchRow } from '../../state/ipc.ts';
import type { SystemTables } from '../../state/system.ts';
import { causeId } from '../../std/cause-id.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Signalled, Signals } from '../signals.ts';
import type { Courier } from './courier.ts';
import { signalEvent } from './envelopes.ts';

/** Signals that come often are told to a lasting watch at most this often. */
const OFTEN_MS = 10_000;
/** Signals that follow from something lasting: each is told. */
const RARE = ['proc.run.finished', 'proc.run.hil.requested', 'device.status'];
const isRare = (signal: string): boolean => RARE.includes(signal) || signal.startsWith('notification.');
/** Signals that every replica hears by itself. */
const isEverywhere = (signal: string): boolean =>
  signal === 'device.status' || signal.startsWith('notification.');

/** The process whose work a signal tells of. */
function sourceOf(payload: Record<string, unknown>): unknown {
  const { source } = (payload.notification ?? {}) as { source?: { processId?: unknown } };
  return source?.processId ?? payload.pid;
}

export type WatchesParts = {
  tables: Pick<SystemTables, 'watches' | 'processes' | 'devices'>;
  courier: Courier;
  signals: Signals;
  clock: Clock;
  random: Random;
  /** Does work for the whole GSV, unless another replica does. */
  during(work: () => Promise<void>): Promise<boolean>;
};

/** Whether a signal is one of those that a watch names. */
export function isNamed(pattern: string, signal: string): boolean {
  return pattern === signal || (pattern.endsWith('.*') && signal.startsWith(pattern.slice(0, -1)));
}

/** Tells processes of signals that they watch. */
export class Watches {
  readonly #parts: WatchesParts;

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  start(): void {
    const { signals, tables } = this.#parts;
    signals.observe((signalled) => this.#heard(signalled));
    tables.processes.observe((pids) => {
      for (const pid of pids) if (tables.processes.get(pid)?.state === 'killed') this.#forget(pid);
    });
  }

  /** Those of one process that are not over, oldest first. */
  of(pid: string): WatchRow[] {
    this.#prune();
    const own = this.#parts.tables.watches.rows().filter((row) => row.pid === pid);
    return own.sort((a, b) => a.createdAt - b.createdAt);
  }

  put(row: WatchRow): void {
    this.#parts.tables.watches.put(row.watchId, row);
  }

  remove(row: WatchRow): boolean {
    return this.#parts.tables.watches.delete(row.watchId);
  }

  /** A run has ended; called in the write of its end, so that who watches it hears of it after a kill, too. */
  ended(uid: number, payload: Record<string, unknown>): void {
    const signalled = { uid, signal: 'proc.run.finished', payload };
    for (const watch of this.#matching(signalled)) this.#fire(watch, signalled);
  }

  /** An event has arrived, or never will. */
  settled({ watchId, at }: EventRow, error: string | null): void {
    const { watches } = this.#parts.tables;
    const watch = watchId === undefined ? undefined : watches.get(watchId);
    if (!watch) return;
    if (error !== null) watches.patch(watch.watchId, { status: 'failed', error });
    else if (watch.once) watches.delete(watch.watchId);
    else watches.patch(watch.watchId, { count: watch.count + 1, lastAt: at });
  }

  #heard(signalled: Signalled): void {
    // It was told where its run ended.
    if (signalled.signal === 'proc.run.finished' || this.#parts.tables.watches.size === 0) return;
    const watching = this.#matching(signalled);
    if (watching.length === 0) return;
    const tell = (): void => {
      for (const watch of this.#matching(signalled)) this.#fire(watch, signalled);
    };
    if (!isEverywhere(signalled.signal)) tell();
    else void this.#parts.during(async () => tell()).catch(() => {});
  }

  #matching({ uid, signal, payload }: Signalled): WatchRow[] {
    const now = this.#parts.clock.now();
    return this.#parts.tables.watches.rows().filter((watch) => {
      if (watch.uid !== uid || watch.status !== 'active' || watch.expiresAt <= now) return false;
      if (!isNamed(watch.signal, signal)) return false;
      // What a process tells by itself is no news to it.
      if (sourceOf(payload) === watch.pid) return false;
      return watch.processId === null || watch.processId === payload.pid;
    });
  }

  #fire(watch: WatchRow, { signal, payload }: Signalled): void {
    const { tables, courier, clock } = this.#parts;
    const { watchId, uid, pid, conversationId, key, state, lastAt } = watch;
    if (!watch.once && !isRare(signal) && lastAt !== null && clock.now() - lastAt < OFTEN_MS) return;
    const process = watch.processId === null ? undefined : tables.processes.get(watch.processId);
    const messageId = causeId('watch', `${watchId}/${signal}/${this.#causeOf(signal, payload)}`);
    const text = signalEvent({ signal, payload, process, key, state });
    courier.post({ messageId, uid, pid, conversationId, text, watchId });
    if (watch.once) tables.watches.patch(watchId, { status: 'fired' });
    else if (!isRare(signal)) tables.watches.patch(watchId, { lastAt: clock.now() });
  }

  /** The same on every replica that hears of it. */
  #causeOf(signal: string, payload: Record<string, unknown>): string {
    if (signal === 'device.status') {
      const device = this.#parts.tables.devices.get(String(payload.device));
      return `${payload.device}/${payload.event}/${device?.connectedAt}/${device?.disconnectedAt}`;
    }
    const { notificationId, readAt, dismissedAt } = (payload.notification ?? {}) as Record<string, unknown>;
    if (notificationId !== undefined) return `${notificationId}/${readAt}/${dismissedAt}`;
    if (signal === 'proc.run.finished') return String(payload.runId);
    return this.#parts.random.uuid();
  }

  #forget(pid: string): void {
    const { watches } = this.#parts.tables;
    for (const row of watches.rows()) {
      if (row.pid === pid) watches.delete(row.watchId);
      else if (row.processId === pid && row.status === 'active')
        watches.patch(row.watchId, { status: 'failed', error: 'The process was ended' });
    }
  }

  #prune(): void {
    const { tables, clock } = this.#parts;
    for (const row of tables.watches.rows())
      if (row.expiresAt <= clock.now()) tables.watches.delete(row.watchId);
  }
}
