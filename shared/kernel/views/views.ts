import { SyscallError } from '../../protocol/errors.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { ViewRow } from '../../syscalls/view-row.ts';
import type { Caller, Handlers } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import type { Schedules } from '../sched/schedules.ts';
import type { Replicas } from '../sync/replicas.ts';
import type { Notifications } from '../sys/notifications.ts';
import { conversationSource } from './conversation-source.ts';
import { conversationsSource } from './conversations-source.ts';
import { type DevicesSourceParts, devicesSource } from './devices-source.ts';
import { notificationsSource, replicasSource, schedulesSource, statusSource } from './list-sources.ts';
import { processesSource } from './processes-source.ts';
import { FRAME_MS, type Source } from './source.ts';

const MAX_VIEWS = 32;

export type ViewParts = DevicesSourceParts & {
  processes: Processes;
  clock: Clock;
  random: Random;
  replicas: Replicas;
  notifications: Notifications;
  schedules: Schedules;
  send(connectionId: string, payload: Record<string, unknown>): void;
};

type Following = { begin(rows: ViewRow[]): void; end(): void };

/** Live rows for pages (DESIGN 6): each gets the rows of now, then what changed, never a document. */
export class Views {
  readonly #parts: ViewParts;
  readonly #open = new Map<string, Map<string, () => void>>();

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  handlers(): Handlers<'view.open' | 'view.close'> {
    return {
      'view.open': (args, { caller }) => this.#openView(args, caller),
      'view.close': async ({ viewId }, { caller }) => ({ closed: this.#close(connectionOf(caller), viewId) }),
    };
  }

  /** A page is gone. */
  drop(connectionId: string): void {
    for (const end of this.#open.get(connectionId)?.values() ?? []) end();
    this.#open.delete(connectionId);
  }

  async #openView(args: Args<'view.open'>, caller: Caller): Promise<Result<'view.open'>> {
    const connectionId = connectionOf(caller);
    const views = this.#open.get(connectionId) ?? new Map<string, () => void>();
    if (views.size >= MAX_VIEWS) throw new SyscallError(429, 'Too many views are open');
    this.#open.set(connectionId, views);
    const source = await this.#source(args, caller);
    const viewId = this.#parts.random.uuid();
    const { begin, end } = this.#follow(connectionId, viewId, source);
    views.set(viewId, end);
    const rows = await source.load();
    if (this.#open.get(connectionId) === views) begin(rows);
    else end();
    return { viewId, rows, total: source.count?.() ?? rows.length };
  }

  #close(connectionId: string, viewId: string): boolean {
    const end = this.#open.get(connectionId)?.get(viewId);
    end?.();
    return this.#open.get(connectionId)?.delete(viewId) ?? false;
  }

  /** Observes at once, so that nothing is missed; patches go out from `begin` on. */
  #follow(connectionId: string, viewId: string, source: Source): Following {
    const keys = new Set<string>();
    const shown = new Set<string>();
    let reset = false;
    let begun = false;
    let cancel: (() => void) | null = null;
    const send = (): void => {
      cancel = null;
      const put: ViewRow[] = [];
      const del: string[] = [];
      for (const key of keys) {
        const value = source.read(key);
        if (value) put.push({ key, value });
        // What a page was never shown is none of its business.
        else if (shown.delete(key)) del.push(key);
      }
      if (reset) shown.clear();
      for (const { key } of put) shown.add(key);
      const changed = put.length > 0 || del.length > 0 || reset;
      const total = source.count?.() ?? shown.size;
      if (changed)
        this.#parts.send(connectionId, { viewId, put, del, total, ...(reset ? { reset: true } : {}) });
      keys.clear();
      reset = false;
    };
    const schedule = (): void => {
      if (begun && (keys.size > 0 || reset)) cancel ??= this.#parts.clock.after(FRAME_MS, send);
    };
    const stop = source.observe((changed, all = false) => {
      if (all) keys.clear();
      for (const key of changed) keys.add(key);
      reset ||= all;
      schedule();
    });
    const begin = (rows: ViewRow[]): void => {
      for (const { key } of rows) shown.add(key);
      begun = true;
      schedule();
    };
    const end = (): void => {
      stop();
      cancel?.();
    };
    return { begin, end };
  }

  #source(args: Args<'view.open'>, caller: Caller): Promise<Source> | Source {
    const parts = this.#parts;
    const sources: Record<typeof args.view, () => Promise<Source> | Source> = {
      conversation: () => conversationSource(parts, args, caller),
      conversations: () => conversationsSource(parts.processes, args, caller),
      processes: () => processesSource(parts, caller),
      devices: () => devicesSource(parts, caller),
      status: () => statusSource(parts.status),
      replicas: () => replicasSource(parts.replicas, caller),
      notifications: () => notificationsSource(parts.notifications, caller),
      schedules: () => schedulesSource(parts.schedules, caller),
    };
    return sources[args.view]();
  }
}

function connectionOf(caller: Caller): string {
  if (caller.origin.kind !== 'tab') throw new SyscallError(403, 'Permission denied: view.open');
  return caller.origin.connectionId;
}
