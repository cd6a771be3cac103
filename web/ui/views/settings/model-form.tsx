import { createUniqueId, For, type JSX, Show } from 'solid-js';
import { isLocal } from '../../../../shared/kernel/local/engine-names.ts';
import { COMPATIBLE, providers } from '../../live/model-settings.ts';
import { SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Dot } from '../../parts/small.tsx';
import { createModelForm, type TestResult } from './create-model-form.ts';
import { RelaySwitch } from './relay-switch.tsx';

/** Who runs the model, with which key, and whether it answers. Used by the wizard and the settings. */
export function ModelForm(props: {
  saveLabel: string;
  limits?: boolean;
  extra?: JSX.Element;
  onSaved(): void;
}): JSX.Element {
  const form = createModelForm();
  const listId = createUniqueId();
  const provider = () => providers.find((entry) => entry.id === form.settings.provider);
  const text = (name: keyof typeof form.settings) => ({
    get value() {
      return form.settings[name];
    },
    get problem() {
      return form.problems()[name] ?? null;
    },
    onValue: (value: string) => form.set(name, value),
  });
  return (
    <Form
      novalidate
      autocomplete="off"
      onSubmit={() => void form.save().then((saved) => saved && props.onSaved())}
    >
      <SelectField label="Provider" {...text('provider')}>
        <option value="" disabled>
          Choose…
        </option>
        <For each={providers}>{(entry) => <option value={entry.id}>{entry.name}</option>}</For>
      </SelectField>
      <Show when={form.settings.provider === COMPATIBLE}>
        <TextField
          label="Address"
          type="url"
          inputmode="url"
          mono
          spellcheck={false}
          placeholder="http://localhost:11434/v1"
          hint="Where its OpenAI-compatible interface begins."
          {...text('baseUrl')}
        />
      </Show>
      <Show
        when={!isLocal(form.settings.provider)}
        fallback={<p class="hint">Models are put on this device in Settings, On this device.</p>}
      >
        <TextField
          label="API key"
          type="password"
          autocomplete="off"
          mono
          placeholder={form.hasKey() ? 'A key is stored. Type to replace it.' : ''}
          hint={provider()?.keyHint ?? 'From the provider’s website.'}
          value={form.apiKey()}
          onValue={form.setApiKey}
        />
      </Show>
      <div class="with-button">
        <TextField
          label="Model"
          mono
          list={listId}
          spellcheck={false}
          autocapitalize="none"
          placeholder={provider()?.example ?? ''}
          hint={<span role="status">{form.listing().note || 'Type its name, or ask the provider.'}</span>}
          {...text('model')}
        />
        <button
          type="button"
          class="button"
          disabled={form.settings.provider === ''}
          onClick={() => void form.listModels()}
        >
          List models
        </button>
        <datalist id={listId}>
          <For each={form.listing().models}>{(model) => <option value={model.id}>{model.name}</option>}</For>
        </datalist>
      </div>
      <Show when={props.limits}>
        <div class="columns">
          <TextField
            label="Tokens per answer"
            inputmode="numeric"
            hint="At most. Empty: what the model allows."
            {...text('maxTokens')}
          />
          <TextField
            label="Model calls per run"
            inputmode="numeric"
            hint="A run stops there and says so."
            {...text('maxTurns')}
          />
          <TextField
            label="Dollars per run"
            inputmode="decimal"
            hint="A run stops there and says so."
            {...text('maxCost')}
          />
          <SelectField
            label="Images"
            hint="A model that does not see them is told that they are there."
            {...text('seesImages')}
          >
            <option value="">As is known of it</option>
            <option value="true">It sees images</option>
            <option value="false">It does not see images</option>
          </SelectField>
        </div>
      </Show>
      <Show when={form.settings.provider !== '' && !isLocal(form.settings.provider)}>
        <RelaySwitch />
      </Show>
      <TestLine result={form.test()} />
      <div class="form-actions">
        {props.extra}
        <button
          type="button"
          class="button"
          title="Saves, then asks the model for one word"
          disabled={form.busy() || form.test().state === 'asking'}
          onClick={() => void form.runTest()}
        >
          Test
        </button>
        <button type="submit" class="button primary" disabled={form.busy()}>
          {props.saveLabel}
        </button>
      </div>
    </Form>
  );
}

function TestLine(props: { result: TestResult }): JSX.Element {
  const words = (): string =>
    props.result.state === 'asking'
      ? 'Asking the model for one word…'
      : 'text' in props.result
        ? props.result.text
        : '';
  return (
    <p class="test-line" role="status">
      <Show when={props.result.state !== 'none'}>
        <Dot
          tone={props.result.state === 'good' ? 'good' : props.result.state === 'bad' ? 'bad' : 'busy'}
          beats={props.result.state === 'asking'}
        />
        {words()}
      </Show>
    </p>
  );
}
