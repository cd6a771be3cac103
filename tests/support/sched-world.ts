import type { ScheduleRecord } from '../../shared/syscalls/sched.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { TestKernel, type TestPage } from './kernel.ts';
import { ManualClock } from './manual-clock.ts';
import { passing, settle } from './passing.ts';
import { type Script, says } from './scripted-models.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const INIT = 'init:1000';
/** Where the tests' clock begins: Thursday, 1 January 2026, 08:00 UTC. */
export const BEGIN = Date.UTC(2026, 0, 1, 8);

type Target = Args<'sched.add'>['target'];
export const every = (everyMs: number) => ({ kind: 'every', everyMs }) as const;
export const tell = (message: string): Target => ({ kind: 'process.event', pid: INIT, message });
export const shell = (input: string): Target => ({ kind: 'shell.exec', input });

/** A kernel under a clock that the test moves. */
export class SchedWorld {
  readonly clock = new ManualClock();
  readonly kernel: TestKernel;
  page!: TestPage;

  private constructor(script: Script) {
    this.clock.jump(BEGIN);
    this.kernel = new TestKernel(script, { clock: this.clock });
  }

  /** With the lasting process of `ada`. */
  static async start(script: Script = () => says('ok')): Promise<SchedWorld> {
    const world = new SchedWorld(script);
    world.page = await world.passing(world.kernel.ready());
    await world.page.history();
    await world.page.call('sys.config.set', { key: 'users/1000/ai/max_turns', value: '9' });
    return world;
  }

  /** What happens while a little time passes. */
  passing<T>(going: Promise<T>): Promise<T> {
    return passing(this.clock, going);
  }

  until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return settle(this.clock, done, what);
  }

  async add(schedule: Partial<Args<'sched.add'>>): Promise<ScheduleRecord> {
    const { name = 'test', expression = every(HOUR), target = tell('tick'), ...rest } = schedule;
    const made = await this.page.call('sched.add', { name, expression, target, ...rest });
    return made.schedule;
  }

  async read(id: string): Promise<ScheduleRecord> {
    const { schedules } = await this.page.call('sched.list', {});
    const found = schedules.find((schedule) => schedule.id === id);
    if (!found) throw new Error(`there is no schedule ${id}`);
    return found;
  }

  /** Oldest first, as `cause status note`. */
  async runs(id: string): Promise<string[]> {
    const { runs } = await this.page.call('sched.history', { id });
    return runs.reverse().map(({ cause, status, note }) => `${cause} ${status} ${note}`);
  }

  /** Waits for the schedule to have run so often. */
  async ran(id: string, count: number): Promise<void> {
    await this.until(async () => {
      const { state } = await this.read(id);
      return state.runCount >= count && state.runningAtMs === null;
    }, `run ${count}`);
  }

  /** The kernel is killed; time passes; it boots from its disk. */
  async restart(away = 0): Promise<void> {
    this.kernel.kill();
    await this.clock.advance(away);
    this.page = await this.passing(this.kernel.restart());
  }

  /** Texts of what the lasting process was told, oldest first. */
  async told(pid = INIT): Promise<string[]> {
    const { messages } = await this.page.history(pid);
    return messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : []));
  }

  async notices(): Promise<Result<'notification.list'>['notifications']> {
    return (await this.page.call('notification.list', {})).notifications;
  }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return blocks.map(({ text = '' }) => text).join('');
}
