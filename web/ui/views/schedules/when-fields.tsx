import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import {
  ALL_DAYS,
  expressionOf,
  firesOf,
  type ScheduleForm,
  type Unit,
  type When,
} from '../../live/schedule-form.ts';
import { fromNow, momentIn } from '../../live/schedules.ts';
import { Choices } from '../../parts/choices.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { allZones } from './zones.ts';

type Fields = { form: ScheduleForm; set(changes: Partial<ScheduleForm>): void };

const choices: readonly { id: When; name: string }[] = [
  { id: 'once', name: 'Once' },
  { id: 'every', name: 'Repeat' },
  { id: 'days', name: 'On days' },
  { id: 'cron', name: 'Cron' },
];
/** Monday first. */
const days = [
  { day: 1, name: 'Mon' },
  { day: 2, name: 'Tue' },
  { day: 3, name: 'Wed' },
  { day: 4, name: 'Thu' },
  { day: 5, name: 'Fri' },
  { day: 6, name: 'Sat' },
  { day: 0, name: 'Sun' },
];
const FIRES = 3;

/** When it fires, by plain choices; what that means is said below while one types. */
export function WhenFields(props: Fields): JSX.Element {
  return (
    <>
      <Choices
        legend="When"
        choices={choices}
        value={props.form.when}
        onValue={(when) => props.set({ when })}
      />
      <Switch>
        <Match when={props.form.when === 'once'}>
          <div class="columns">
            <TextField
              label="Day and time"
              type="datetime-local"
              value={props.form.once}
              onValue={(once) => props.set({ once })}
            />
            <ZoneField {...props} />
          </div>
        </Match>
        <Match when={props.form.when === 'every'}>
          <EveryFields {...props} />
        </Match>
        <Match when={props.form.when === 'days'}>
          <DayFields {...props} />
        </Match>
        <Match when={props.form.when === 'cron'}>
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of the month, month, day of the week: 0 9 * * 1-5 is nine o’clock on weekdays."
            mono
            spellcheck={false}
            autocapitalize="off"
            value={props.form.cron}
            onValue={(cron) => props.set({ cron })}
          />
          <ZoneField {...props} />
        </Match>
      </Switch>
      <Preview form={props.form} />
    </>
  );
}

function EveryFields(props: Fields): JSX.Element {
  return (
    <div class="columns">
      <TextField
        label="Every"
        inputMode="numeric"
        value={props.form.count}
        onValue={(count) => props.set({ count })}
      />
      <SelectField label="Unit" value={props.form.unit} onValue={(unit) => props.set({ unit: unit as Unit })}>
        <option value="minutes">minutes</option>
        <option value="hours">hours</option>
        <option value="days">days</option>
      </SelectField>
    </div>
  );
}

function DayFields(props: Fields): JSX.Element {
  const toggle = (day: number): void => {
    const chosen = props.form.days.includes(day)
      ? props.form.days.filter((other) => other !== day)
      : [...props.form.days, day];
    props.set({ days: ALL_DAYS.filter((other) => chosen.includes(other)) });
  };
  return (
    <>
      <fieldset class="segments days">
        <legend>Days</legend>
        <For each={days}>
          {({ day, name }) => (
            <label>
              <input type="checkbox" checked={props.form.days.includes(day)} onChange={() => toggle(day)} />
              <span>{name}</span>
            </label>
          )}
        </For>
      </fieldset>
      <div class="columns">
        <TextField label="Time" type="time" value={props.form.time} onValue={(time) => props.set({ time })} />
        <ZoneField {...props} />
      </div>
    </>
  );
}

function ZoneField(props: Fields): JSX.Element {
  return (
    <>
      <TextField
        label="Time zone"
        list="time-zones"
        spellcheck={false}
        value={props.form.zone}
        onValue={(zone) => props.set({ zone })}
      />
      <datalist id="time-zones">
        <For each={allZones()}>{(zone) => <option value={zone} />}</For>
      </datalist>
    </>
  );
}

/** The next three fires, or what is wrong, live while one types. */
function Preview(props: { form: ScheduleForm }): JSX.Element {
  const page = usePage();
  const wrong = (): string | null => {
    const expression = expressionOf(props.form, page.now());
    return 'field' in expression ? expression.words : null;
  };
  return (
    <div class="preview" role="status">
      <Show when={wrong() === null} fallback={<p class="problem">{wrong()}</p>}>
        <p class="preview-title">It fires next</p>
        <ol class="plain">
          <For each={firesOf(props.form, page.now(), FIRES)}>
            {(ms) => (
              <li>
                {momentIn(ms, props.form.zone, page.now())}{' '}
                <span class="preview-wait">{fromNow(ms, page.now())}</span>
              </li>
            )}
          </For>
        </ol>
      </Show>
    </div>
  );
}
