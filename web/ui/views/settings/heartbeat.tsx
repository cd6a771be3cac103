import { For, type JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { createSchedules, type LiveSchedule } from '../../live/schedules.ts';
import { SelectField } from '../../parts/field.tsx';

const FILE = '~/HEARTBEAT.md';
const MINUTE = 60_000;
const choices: readonly { ms: number; name: string }[] = [
  { ms: 15 * MINUTE, name: 'every 15 minutes' },
  { ms: 30 * MINUTE, name: 'every 30 minutes' },
  { ms: 60 * MINUTE, name: 'every hour' },
  { ms: 240 * MINUTE, name: 'every 4 hours' },
  { ms: 1440 * MINUTE, name: 'every day' },
];
const OFF = 0;

/** A schedule like any other, made when it is first chosen: the agent sees to what a file asks for. */
export function HeartbeatSettings(): JSX.Element {
  const page = usePage();
  const schedules = createSchedules(page.gsv);
  const heartbeat = (): LiveSchedule | undefined =>
    schedules.list.find(({ target }) => target.kind === 'process.event' && target.unlessEmpty === FILE);
  const everyMs = (): number => {
    const one = heartbeat();
    return one?.enabled && one.expression.kind === 'every' ? one.expression.everyMs : OFF;
  };
  const offered = () =>
    everyMs() === OFF || choices.some(({ ms }) => ms === everyMs())
      ? choices
      : [...choices, { ms: everyMs(), name: 'as it is set in Schedules' }];
  const choose = (ms: number): unknown =>
    page.notices.attempt('The heartbeat could not be changed', () => set(ms));
  const set = async (ms: number): Promise<unknown> => {
    const known = heartbeat();
    const expression = { kind: 'every', everyMs: ms } as const;
    if (known && ms === OFF)
      return page.gsv.call('sched.update', { id: known.id, patch: { enabled: false } });
    if (known) return page.gsv.call('sched.update', { id: known.id, patch: { enabled: true, expression } });
    if (ms === OFF) return true;
    const pid = page.home()?.pid ?? 'init:1000';
    const message = `See to what ${FILE} asks for, if it is time for it. When nothing needs you, say only that.`;
    const target = { kind: 'process.event', pid, message, unlessEmpty: FILE } as const;
    return page.gsv.call('sched.add', { name: 'Heartbeat', expression, target, misfirePolicy: 'skip' });
  };
  return (
    <SelectField
      label="Look at HEARTBEAT.md"
      value={String(everyMs())}
      onValue={(value) => void choose(Number(value))}
      hint="Write what GSV should see to by itself into ~/HEARTBEAT.md. While it is empty, looking costs nothing."
    >
      <option value={String(OFF)}>never</option>
      <For each={offered()}>
        {({ ms, name }) => (
          <option value={String(ms)} selected={ms === everyMs()}>
            {name}
          </option>
        )}
      </For>
    </SelectField>
  );
}
