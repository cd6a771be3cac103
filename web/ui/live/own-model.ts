import { createSignal } from 'solid-js';
import { type Availability, modelOptions, promptApi } from '../../model-worker/prompt-api.ts';

export type OwnModel = Availability | 'absent';

/** The browser's own model, as this page sees it. `progress` is 0 to 1 while it is downloaded, else null. */
export function createOwnModel() {
  const [state, setState] = createSignal<OwnModel>();
  const [progress, setProgress] = createSignal<number | null>(null);
  const api = promptApi();
  const read = async (): Promise<void> => {
    if (!api) return void setState('absent');
    setState(await api.availability(await modelOptions(api, navigator.language)));
  };
  void read().catch(() => setState('absent'));
  /** Browsers allow it only just after a click. Rejects with the browser's reason. */
  const download = async (): Promise<void> => {
    if (!api) return;
    const options = { expectedInputs: TEXT, expectedOutputs: TEXT };
    setState('downloading');
    try {
      const session = await api.create({ ...options, monitor: (monitor) => follow(monitor, setProgress) });
      session.destroy();
    } finally {
      setProgress(null);
      await read();
    }
  };
  return { state, progress, download };
}

/** No other question may come between a person's click and the download. */
const TEXT: { type: 'text'; languages: string[] }[] = [{ type: 'text', languages: ['en'] }];

function follow(monitor: EventTarget, tell: (share: number) => void): void {
  monitor.addEventListener('downloadprogress', (event) => tell((event as ProgressEvent).loaded));
}
