import { onCleanup } from 'solid-js';
import { createStore, reconcile } from 'solid-js/store';
import type { Result } from '../../../shared/syscalls/table.ts';
import type { Page } from '../context.ts';
import type { LocalChoice } from './model-choice.ts';
import { findUid } from './own-uid.ts';
import { askPersistence } from './storage.ts';

export type LocalList = Result<'ai.local.list'>;
export type LocalModel = LocalList['models'][number];
export type LocalDevice = LocalList['device'];

/** The models of this device, kept as the kernel tells of changes. Undefined until the first answer; null when there is none. */
export function createLocalModels(page: Page) {
  const [state, setState] = createStore<{ list?: LocalList | null }>({});
  const list = (): LocalList | null | undefined => state.list;
  /** A model that is still there stays the same object: its card keeps the focus while its figures change. */
  const read = (): Promise<unknown> =>
    page.gsv.call('ai.local.list', {}).then(
      (answer) => setState('list', reconcile(answer, { key: 'id', merge: true })),
      () => list() ?? setState('list', null),
    );
  onCleanup(page.gsv.onSignal((signal) => signal === 'ai.local.changed' && void read()));
  void read();
  return { list, read };
}

/** 1 GB is a thousand MB here, as on the pages that offer models. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1_000))} kB`;
  if (bytes < 1_000_000_000) return `${Math.round(bytes / 1_000_000)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

export function parameterWords(billions: number): string {
  return billions < 1
    ? `${Math.round(billions * 1_000)} million parameters`
    : `${billions} billion parameters`;
}

/** What a model is doing or what is wrong with it; empty for one that is simply here. */
export function stateWords(model: LocalModel): string {
  const share = model.bytes > 0 ? `${Math.floor((model.storedBytes / model.bytes) * 100)} %` : '';
  switch (model.state) {
    case 'downloading':
      return share === '' ? 'Asking for the file…' : `Downloading, ${share} of ${sizeWords(model.bytes)}`;
    case 'paused':
      return `Paused${share === '' ? '' : ` at ${share}`}. What is here stays.`;
    case 'failed':
      return model.problem;
    default:
      return '';
  }
}

export function speedWords({ tokensPerSecond }: LocalModel): string {
  return tokensPerSecond > 0 ? `${tokensPerSecond} tokens/s measured here` : 'Not measured yet';
}

export function toolWords({ callsTools }: LocalModel): string {
  return callsTools ? 'Uses tools' : 'Talks only, too small for tools';
}

/** Which proposed model a person who has none should begin with: the largest that fits and is quick on a processor. */
export function suggested(models: readonly LocalModel[]): LocalModel | undefined {
  const fit = models.filter(
    (model) =>
      model.state === 'absent' && model.unfit === '' && model.engine === 'wllama' && model.callsTools,
  );
  return fit.find(({ id }) => id === 'qwen3-0.6b') ?? fit[0];
}

/** Begins a download or goes on with one. What is downloaded shall stay, so the browser is asked to keep it. */
export async function downloadModel({ gsv, notices }: Page, id: string): Promise<void> {
  const begun = await notices.attempt('The download did not begin', () =>
    gsv.call('ai.local.download', { id }),
  );
  if (begun !== null) void askPersistence();
}

/** From now on this model of the device answers first. */
export async function useAsMain(page: Page, { provider, model }: LocalChoice): Promise<void> {
  await writeAi(page, 'provider', provider);
  await writeAi(page, 'base_url', '');
  await writeAi(page, 'model', model);
}

export async function writeAi(page: Page, name: string, value: string): Promise<void> {
  await page.gsv.call('sys.config.set', { key: `users/${await findUid(page)}/ai/${name}`, value });
}

export async function readAi(page: Page, name: string): Promise<string> {
  const key = `users/${await findUid(page)}/ai/${name}`;
  const { entries } = await page.gsv.call('sys.config.get', { key });
  return entries.find((entry) => entry.key === key)?.value ?? '';
}

/** The bytes of a file of this person's disk, for a call. */
export function fileBytes(file: File): ReadableStream<Uint8Array> {
  return file.stream() as ReadableStream<Uint8Array>;
}
