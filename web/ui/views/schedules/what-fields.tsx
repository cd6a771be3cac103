import { For, type JSX, Match, Show, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import { processTitle } from '../../live/processes.ts';
import type { ScheduleForm } from '../../live/schedule-form.ts';
import { type Care, careNames, type Does } from '../../live/schedule-target.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { TextArea } from '../../parts/text-area.tsx';

type Fields = { form: ScheduleForm; set(changes: Partial<ScheduleForm>): void };

const kinds: Record<Does, string> = {
  tell: 'Tell a conversation',
  spawn: 'Start a new conversation',
  run: 'Run a command',
  care: 'Look after a conversation',
};
const labels: Record<Exclude<Does, 'care'>, string> = {
  tell: 'What it is told',
  spawn: 'What it should do',
  run: 'Command',
};
const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] => Object.keys(record) as Key[];

/** What happens when a schedule fires. */
export function WhatFields(props: Fields & { problem: string | null | undefined }): JSX.Element {
  const does = (): Does => props.form.does;
  return (
    <>
      <SelectField
        label="What happens"
        value={does()}
        onValue={(chosen) => props.set({ does: keysOf(kinds).find((kind) => kind === chosen) ?? 'tell' })}
      >
        <For each={keysOf(kinds)}>{(kind) => <option value={kind}>{kinds[kind]}</option>}</For>
      </SelectField>
      <Switch>
        <Match when={does() === 'tell'}>
          <ProcessField {...props} />
        </Match>
        <Match when={does() === 'care'}>
          <ProcessField {...props} />
          <CareField {...props} />
        </Match>
        <Match when={does() === 'run'}>
          <WhereFields {...props} />
        </Match>
      </Switch>
      <Words {...props} />
      <Show when={does() === 'spawn'}>
        <SelectField
          label="What needs your approval"
          value={props.form.asks}
          onValue={(asks) => props.set({ asks: asks === 'me' ? 'me' : 'nobody' })}
        >
          <option value="nobody">is refused: nobody may be there</option>
          <option value="me">is asked, and it waits for you</option>
        </SelectField>
      </Show>
    </>
  );
}

/** What spares a model that is told something: nothing is told while there is nothing to do. */
export function OnlyIfField(props: Fields): JSX.Element {
  return (
    <Show when={props.form.does === 'tell'}>
      <TextField
        label="Only when this file asks for something"
        hint="Optional. While the file is missing, empty or only headings, the model is not asked."
        placeholder="~/HEARTBEAT.md"
        spellcheck={false}
        value={props.form.onlyIf}
        onValue={(onlyIf) => props.set({ onlyIf })}
      />
    </Show>
  );
}

function Words(props: Fields & { problem: string | null | undefined }): JSX.Element {
  const label = (): string | null => (props.form.does === 'care' ? null : labels[props.form.does]);
  return (
    <Show when={label()}>
      {(name) => (
        <TextArea
          label={name()}
          mono={props.form.does === 'run'}
          placeholder={
            props.form.does === 'run' ? 'backup.sh' : 'Look at my calendar and tell me what today needs.'
          }
          value={props.form.text}
          problem={props.problem ?? null}
          onValue={(text) => props.set({ text })}
        />
      )}
    </Show>
  );
}

function ProcessField(props: Fields): JSX.Element {
  const page = usePage();
  return (
    <SelectField label="Which conversation" value={props.form.pid} onValue={(pid) => props.set({ pid })}>
      <For each={page.processes}>
        {(row) => (
          <option value={row.pid} selected={row.pid === props.form.pid}>
            {processTitle(row)}
          </option>
        )}
      </For>
    </SelectField>
  );
}

function CareField(props: Fields): JSX.Element {
  const choose = (chosen: string): void =>
    props.set({ care: keysOf<Care>(careNames).find((care) => care === chosen) ?? 'compact' });
  return (
    <SelectField label="How" value={props.form.care} onValue={choose}>
      <For each={keysOf<Care>(careNames)}>
        {(care) => (
          <option value={care} selected={care === props.form.care}>
            {careNames[care]}
          </option>
        )}
      </For>
    </SelectField>
  );
}

function WhereFields(props: Fields): JSX.Element {
  const page = usePage();
  return (
    <>
      <Show when={page.devices.length > 0}>
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
      <TextField
        label="Folder"
        hint="Optional. Otherwise it is the home."
        spellcheck={false}
        value={props.form.cwd}
        onValue={(cwd) => props.set({ cwd })}
      />
    </>
  );
}
