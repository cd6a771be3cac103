import { createSignal, For, type JSX, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { usePage } from '../../context.ts';
import { processTitle } from '../../live/processes.ts';
import {
  type Before,
  formOf,
  newForm,
  type Problem,
  type ScheduleForm,
  settingsOf,
} from '../../live/schedule-form.ts';
import type { LiveSchedule } from '../../live/schedules.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { TextArea } from './text-area.tsx';
import { WhenFields } from './when-fields.tsx';
import { ownZone } from './zones.ts';

/** Makes a schedule, or changes one. */
export function ScheduleEditor(props: { schedule: LiveSchedule | undefined; onClose(): void }): JSX.Element {
  const page = usePage();
  const home = (): string => page.home()?.pid ?? 'init:1000';
  const known = props.schedule && formOf(props.schedule, Date.now(), ownZone(), home());
  const [form, setForm] = createStore<ScheduleForm>(known ?? newForm(Date.now(), ownZone(), home()));
  const before: Before | undefined =
    props.schedule && known ? { target: props.schedule.target, form: structuredClone(known) } : undefined;
  const [problem, setProblem] = createSignal<Problem | null>(null);
  const [saving, setSaving] = createSignal(false);
  const set = (changes: Partial<ScheduleForm>): void => {
    setForm(changes);
    setProblem(null);
  };
  const save = async (): Promise<void> => {
    const settings = settingsOf(form, Date.now(), before);
    if ('field' in settings) {
      setProblem(settings);
      return;
    }
    setSaving(true);
    const { expression, ...rest } = settings;
    const done = await page.notices.attempt('The schedule could not be saved', async () => {
      if (props.schedule) await page.gsv.call('sched.update', { id: props.schedule.id, patch: settings });
      else if (expression) await page.gsv.call('sched.add', { ...rest, expression });
      return true;
    });
    setSaving(false);
    if (done === true) props.onClose();
  };
  return (
    <Dialog title={props.schedule ? 'Change the schedule' : 'New schedule'} onClose={() => props.onClose()}>
      <Show
        when={props.schedule === undefined || known}
        fallback={<p class="dialog-text">This schedule is changed with the command “sched”.</p>}
      >
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <WhatFields form={form} set={set} problem={problem()?.field === 'text' ? problem()?.words : null} />
          <WhenFields form={form} set={set} />
          <TextField
            label="Name"
            hint="Optional. Otherwise its first words are its name."
            maxLength={200}
            value={form.name}
            onValue={(name) => set({ name })}
          />
          <SelectField
            label="When GSV was not open at that time"
            value={form.missed}
            onValue={(missed) => set({ missed: missed === 'skip' ? 'skip' : 'run-once' })}
          >
            <option value="run-once">Make up for it once</option>
            <option value="skip">Skip it</option>
          </SelectField>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => props.onClose()}>
              Cancel
            </button>
            <button type="submit" class="button primary" disabled={saving()}>
              {props.schedule ? 'Save' : 'Create'}
            </button>
          </div>
        </form>
      </Show>
    </Dialog>
  );
}

type Fields = { form: ScheduleForm; set(changes: Partial<ScheduleForm>): void };

const labels = {
  tell: 'What it is told',
  spawn: 'What it should do',
  run: 'Command',
};

function WhatFields(props: Fields & { problem: string | null | undefined }): JSX.Element {
  const page = usePage();
  return (
    <>
      <SelectField
        label="What happens"
        value={props.form.does}
        onValue={(does) => props.set({ does: does === 'run' || does === 'spawn' ? does : 'tell' })}
      >
        <option value="tell">Tell a conversation</option>
        <option value="spawn">Start a new conversation in the background</option>
        <option value="run">Run a command</option>
      </SelectField>
      <Show when={props.form.does === 'tell'}>
        <SelectField label="Which conversation" value={props.form.pid} onValue={(pid) => props.set({ pid })}>
          <For each={page.processes}>
            {(row) => (
              <option value={row.pid} selected={row.pid === props.form.pid}>
                {processTitle(row)}
              </option>
            )}
          </For>
        </SelectField>
      </Show>
      <Show when={props.form.does === 'run' && page.devices.length > 0}>
        <SelectField label="Where" value={props.form.target} onValue={(target) => props.set({ target })}>
          <option value="">GSV itself</option>
          <For each={page.devices}>
            {({ deviceId }) => (
              <option value={deviceId} selected={deviceId === props.form.target}>
                {deviceId}
              </option>
            )}
          </For>
        </SelectField>
      </Show>
      <TextArea
        label={labels[props.form.does]}
        mono={props.form.does === 'run'}
        placeholder={
          props.form.does === 'run' ? 'backup.sh' : 'Look at my calendar and tell me what today needs.'
        }
        value={props.form.text}
        problem={props.problem ?? null}
        onValue={(text) => props.set({ text })}
      />
    </>
  );
}
