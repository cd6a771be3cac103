import { createSignal, type JSX } from 'solid-js';
import { createStore } from 'solid-js/store';
import { usePage } from '../../context.ts';
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
import { TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { TroubleFields } from './trouble-fields.tsx';
import { OnlyIfField, WhatFields } from './what-fields.tsx';
import { WhenFields } from './when-fields.tsx';
import { ownZone } from './zones.ts';

/** Whether a schedule has what few have, which is folded away otherwise. */
const isUnusual = ({ tries, missed, onlyIf }: ScheduleForm): boolean =>
  tries > 0 || missed === 'skip' || onlyIf !== '';
const rareWords = ({ does }: ScheduleForm): string =>
  does === 'tell' ? 'More: name, a condition, when it fails' : 'More: name, when it fails';

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
      <Form onSubmit={() => void save()}>
        <WhatFields form={form} set={set} problem={problem()?.field === 'text' ? problem()?.words : null} />
        <WhenFields form={form} set={set} />
        <details class="more" open={known !== undefined && isUnusual(known)}>
          <summary>{rareWords(form)}</summary>
          <div class="form">
            <TextField
              label="Name"
              hint="Optional. Otherwise it is named by what it does."
              maxLength={200}
              value={form.name}
              onValue={(name) => set({ name })}
            />
            <OnlyIfField form={form} set={set} />
            <TroubleFields form={form} set={set} />
          </div>
        </details>
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => props.onClose()}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={saving()}>
            {props.schedule ? 'Save' : 'Create'}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
