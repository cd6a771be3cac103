import { SyscallError } from '../../protocol/errors.ts';
import type { ScheduleRow } from '../../state/schedules.ts';
import type { SystemTables } from '../../state/system.ts';
import type { Clock } from '../../std/clock.ts';
import { userByName } from '../auth/accounts.ts';
import type { Credentials } from '../fs/credentials.ts';
import type { Caller } from '../handler.ts';
import type { Config } from '../sys/config.ts';
import { cronProblem } from './cron.ts';
import { type CrontabEntry, entryOf, nameOf, parseCrontab, renderCrontab, sameEntry } from './crontab.ts';
import { principal } from './principal.ts';
import type { Schedules } from './schedules.ts';

export type CrontabsParts = {
  tables: SystemTables;
  config: Config;
  schedules: Schedules;
  clock: Clock;
  flush(): Promise<void>;
};

/** The schedules of users as crontabs: the same rows, read and written as text. */
export class Crontabs {
  readonly #parts: CrontabsParts;

  constructor(parts: CrontabsParts) {
    this.#parts = parts;
  }

  /** Empty when this user has no schedules. */
  read(uid: number): string {
    return renderCrontab(this.#parts.schedules.rows(uid), this.#zone);
  }

  /**
   * Makes the rows of a user what the text says: lines that stay keep their schedule and its history. What a crontab
   * cannot hold is left alone. Throws 400 with the number of the first bad line and changes nothing then.
   */
  async write(username: string, text: string, by: Credentials): Promise<void> {
    const { tables, config, schedules, clock, flush } = this.#parts;
    const user = userByName(tables, username);
    if (!user) throw new SyscallError(404, `There is no user ${username}`);
    const read = parseCrontab(text, this.#zone, (expr, zone) => cronProblem(expr, zone, clock.now()));
    if (!Array.isArray(read)) throw new SyscallError(400, `line ${read.line}: ${read.problem}`);
    const author =
      by.pid === undefined ? ({ kind: 'person' } as const) : ({ kind: 'agent', pid: by.pid } as const);
    const caller = principal({ tables, config }, { id: 'crontab', ownerUid: user.uid }, author);
    const left = new Map(schedules.rows(user.uid).flatMap((row) => paired(row)));
    for (const entry of read) {
      const id = [...left].find(([, known]) => sameEntry(known, entry))?.[0];
      if (id === undefined) schedules.put(await schedules.made(settings(entry), caller));
      else await this.#keep(id, left.get(id), entry, caller);
      if (id !== undefined) left.delete(id);
    }
    for (const id of left.keys()) schedules.remove(id);
    await flush();
  }

  /** A line that is as it was changes nothing. */
  async #keep(
    id: string,
    known: CrontabEntry | undefined,
    entry: CrontabEntry,
    caller: Caller,
  ): Promise<void> {
    const { description, enabled } = entry;
    if (known?.description === description && known.enabled === enabled) return;
    const { schedules } = this.#parts;
    schedules.put(await schedules.changed({ id, patch: { description, enabled } }, caller));
  }

  get #zone(): string {
    return this.#parts.config.resolve(0, 'server/timezone') ?? 'UTC';
  }
}

/** Whether these credentials may read, or write, schedules at all. */

function paired(row: ScheduleRow): [string, CrontabEntry][] {
  const entry = entryOf(row);
  return entry ? [[row.id, entry]] : [];
}

function settings(entry: CrontabEntry): Parameters<Schedules['made']>[0] {
  const { expr, timezone, command, description, enabled } = entry;
  return {
    name: nameOf(entry),
    ...(description === null ? {} : { description }),
    enabled,
    expression: { kind: 'cron', expr, timezone },
    target: { kind: 'shell.exec', input: command },
  };
}
