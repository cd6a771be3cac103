import { createSignal, onMount } from 'solid-js';
import { createStore } from 'solid-js/store';
import { messageOf } from '../../../../shared/protocol/errors.ts';
import { usePage } from '../../context.ts';
import { besideSettings } from '../../live/failure-words.ts';
import {
  COMPATIBLE,
  type ModelSettings,
  noSettings,
  readSettings,
  saveSettings,
  settingsProblems,
} from '../../live/model-settings.ts';
import { duration } from '../../parts/words.ts';

export type TestResult = { state: 'none' | 'asking' } | { state: 'good' | 'bad'; text: string };
type Listing = { models: { id: string; name: string }[]; note: string };

/** The state behind the model form: what is stored, what is typed, and what the provider says. */
export function createModelForm() {
  const page = usePage();
  const [stored, setStored] = createSignal<ModelSettings>(noSettings);
  const [settings, setSettings] = createStore<ModelSettings>({ ...noSettings });
  const [apiKey, setApiKey] = createSignal('');
  const [hasKey, setHasKey] = createSignal(false);
  const [problems, setProblems] = createSignal<ReturnType<typeof settingsProblems>>({});
  const [listing, setListing] = createSignal<Listing>({ models: [], note: '' });
  const [test, setTest] = createSignal<TestResult>({ state: 'none' });
  const [busy, setBusy] = createSignal(false);

  let touched = false;

  const read = async (): Promise<void> => {
    const known = await page.notices.attempt('The settings could not be read', () => readSettings(page));
    if (known === null) return;
    setStored(known.settings);
    // What was typed before the answer came is not typed over.
    if (!touched) setSettings(known.settings);
    setHasKey(known.hasKey);
  };
  onMount(() => void read());

  /** Resolves to whether everything is stored. */
  const save = async (): Promise<boolean> => {
    const found = settingsProblems(settings);
    setProblems(found);
    if (Object.keys(found).length > 0 || busy()) return false;
    setBusy(true);
    const next = { ...settings, baseUrl: settings.provider === COMPATIBLE ? settings.baseUrl : '' };
    const done = await page.notices.attempt('The settings were not saved', async () => {
      await saveSettings(page, stored(), next, apiKey());
      return true;
    });
    setBusy(false);
    if (done !== true) return false;
    setStored({ ...next });
    if (apiKey() !== '') setHasKey(true);
    setApiKey('');
    return true;
  };
  const runTest = async (): Promise<void> => {
    if (!(await save())) return;
    setTest({ state: 'asking' });
    try {
      const answer = await page.gsv.call('ai.test', {});
      const way = answer.ok && answer.viaRelay ? ', by way of the server' : '';
      setTest(
        answer.ok
          ? { state: 'good', text: `It answers, after ${duration(answer.durationMs)}${way}.` }
          : { state: 'bad', text: besideSettings(answer.error, 'above') },
      );
    } catch (thrown) {
      setTest({ state: 'bad', text: messageOf(thrown) });
    }
  };
  const listModels = async (): Promise<void> => {
    setListing({ models: [], note: 'Asking…' });
    try {
      const { models } = await page.gsv.call('ai.models', {
        provider: settings.provider,
        ...(settings.provider === COMPATIBLE && settings.baseUrl !== '' ? { baseUrl: settings.baseUrl } : {}),
        ...(apiKey() === '' ? {} : { apiKey: apiKey() }),
      });
      setListing({
        models,
        note:
          models.length === 0
            ? 'It lists no models. Type the name.'
            : `${models.length} models: choose one in the field.`,
      });
    } catch (thrown) {
      setListing({ models: [], note: besideSettings(messageOf(thrown), 'below') });
    }
  };
  const set = (name: keyof ModelSettings, value: string): void => {
    touched = true;
    setSettings(name, value);
    setProblems({ ...problems(), [name]: undefined });
    setTest({ state: 'none' });
    if (name === 'provider') setListing({ models: [], note: '' });
  };
  return {
    settings,
    set,
    apiKey,
    setApiKey: (key: string): void => {
      setApiKey(key);
      setTest({ state: 'none' });
    },
    hasKey,
    problems,
    listing,
    listModels,
    test,
    runTest,
    save,
    busy,
  };
}
