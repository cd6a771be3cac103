import { SyscallError } from '../../protocol/errors.ts';
import { messageKey } from '../../state/conversation.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import type { Random } from '../../std/random.ts';
import type { Args, Result } from '../../syscalls/table.ts';
import type { ViewRow } from '../../syscalls/view.ts';
import type { Caller, Handlers } from '../handler.ts';
import type { Processes } from '../proc/processes.ts';
import { accessibleDevices } from '../sys/devices.ts';
import type { Status } from '../sys/status.ts';

/** Patches of one view go out at most once per frame. */
const FRAME_MS = 16;
const DEFAULT_TAIL = 200;
const MAX_VIEWS = 32;

export type ViewParts = {
  tables: SystemTables;
  processes: Processes;
  clock: Clock;
  random: Random;
  status: Status;
  /** Without its room a kernel reaches no device, whatever was last heard of it. */
  linkOnline(): boolean;
  send(connectionId: string, payload: Record<string, unknown>): void;
};

type Source = {
  /** The rows of now; what changes from then on is observed. */
  load(): Promise<ViewRow[]>;
  /** Calls back with keys that may have changed; `reset` when everything did. */
  observe(changed: (keys: string[], reset?: boolean) => void): () => void;
  /** The row of a key now, or undefined when it is gone. */
  read(key: string): ViewRow['value'] | undefined;
  /** How many there are in all, where a view shows only some. */
  count?(): number;
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
    if (args.view === 'conversation') return this.#conversation(args, caller);
    if (args.view === 'processes') return this.#processes(caller);
    if (args.view === 'devices') return this.#devices(caller);
    return this.#status();
  }

  #processes(caller: Caller): Source {
    const { tables, processes } = this.#parts;
    const read = (pid: string): ViewRow['value'] | undefined => {
      const row = processes.row(pid);
      const visible = row && (caller.identity.uid === 0 || row.uid === caller.identity.uid);
      return visible ? { ...row, activity: processes.activity(pid) } : undefined;
    };
    return keyed(
      () => tables.processes.keys(),
      read,
      (changed) => {
        const stopRows = tables.processes.observe((keys) => changed([...keys]));
        const stopActivity = processes.onActivity((pid) => changed([pid]));
        return () => {
          stopRows();
          stopActivity();
        };
      },
    );
  }

  #devices(caller: Caller): Source {
    const { tables } = this.#parts;
    const read = (deviceId: string): ViewRow['value'] | undefined => {
      const row = accessibleDevices(tables, caller.identity).find((device) => device.deviceId === deviceId);
      const token = tables.tokens.rows().filter((candidate) => candidate.allowedDeviceId === deviceId);
      const mine = token.some(({ uid }) => uid === caller.identity.uid || caller.identity.uid === 0);
      if (!row && !mine) return undefined;
      const revoked = token.length > 0 && token.every(({ revokedAt }) => revokedAt !== null);
      const device = row ?? neverConnected(deviceId, caller.identity.uid);
      return { ...device, online: device.online === true && this.#parts.linkOnline(), revoked };
    };
    const ids = (): string[] => [
      ...new Set([
        ...tables.devices.keys(),
        ...tables.tokens
          .rows()
          .flatMap(({ kind, allowedDeviceId }) =>
            kind === 'node' && allowedDeviceId ? [allowedDeviceId] : [],
          ),
      ]),
    ];
    return keyed(ids, read, (changed) => {
      const all = (): void => changed(ids());
      const stops = [tables.devices, tables.tokens, tables.access].map((table) => table.observe(all));
      stops.push(this.#parts.status.onChange(all));
      return () => {
        for (const stop of stops) stop();
      };
    });
  }

  #status(): Source {
    const read = (): ViewRow['value'] => ({ ...this.#parts.status.read() });
    const ids = (): string[] => ['status'];
    return keyed(ids, read, (changed) => this.#parts.status.onChange(() => changed(['status'])));
  }

  async #conversation({ pid = '', tail = DEFAULT_TAIL }: Args<'view.open'>, caller: Caller): Promise<Source> {
    const row = this.#parts.processes.demand(pid, caller.identity);
    const { conversation } = await this.#parts.processes.open(row);
    const recent = new Map<string, ViewRow['value']>();
    return {
      load: async () => {
        const messages = await conversation.log.slice(Math.max(0, conversation.count - tail), tail);
        return [
          ...messages.map((message) => ({ key: messageKey(message.id), value: { ...message } })),
          ...conversation.rows().map(([key, value]) => ({ key, value })),
        ];
      },
      count: () => conversation.count,
      observe: (changed) =>
        conversation.observe((change) => {
          if (change.reset) recent.clear();
          for (const key of change.rows) recent.delete(key);
          for (const message of change.messages) recent.set(messageKey(message.id), { ...message });
          changed([...change.messages.map(({ id }) => messageKey(id)), ...change.rows], change.reset);
        }),
      read: (key) => {
        const message = recent.get(key);
        recent.delete(key);
        return message ?? conversation.rows().find(([name]) => name === key)?.[1];
      },
    };
  }
}

function keyed(
  keys: () => string[],
  read: (key: string) => ViewRow['value'] | undefined,
  observe: Source['observe'],
): Source {
  const load = async (): Promise<ViewRow[]> =>
    keys().flatMap((key) => {
      const value = read(key);
      return value ? [{ key, value }] : [];
    });
  return { load, read, observe };
}

function connectionOf(caller: Caller): string {
  if (caller.origin.kind !== 'tab') throw new SyscallError(403, 'Permission denied: view.open');
  return caller.origin.connectionId;
}

/** How a device looks that has a token and has never been seen. */
function neverConnected(deviceId: string, ownerUid: number): ViewRow['value'] {
  return {
    deviceId,
    ownerUid,
    ownerGid: 0,
    description: '',
    platform: '',
    version: '',
    implements: [],
    online: false,
    firstSeenAt: 0,
    lastSeenAt: 0,
    connectedAt: null,
    disconnectedAt: null,
  };
}
