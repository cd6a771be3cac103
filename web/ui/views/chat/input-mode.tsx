import { createSignal, For, type JSX, onMount } from 'solid-js';
import type { InputMode } from '../../../../shared/syscalls/proc.ts';
import { usePage } from '../../context.ts';
import { findUid } from '../../live/own-uid.ts';

const names: Record<InputMode, string> = {
  steer: 'At its next step',
  queue: 'After this run',
  interrupt: 'Stop the run first',
};
const modes = Object.keys(names) as InputMode[];

/** When a message is read that is sent while a run goes on. The choice is kept, for every browser. */
export function createInputMode() {
  const page = usePage();
  const [mode, setMode] = createSignal<InputMode>('steer');
  const key = async (): Promise<string> => `users/${await findUid(page)}/ai/input_mode`;
  onMount(async () => {
    const known = await key()
      .then((name) => page.gsv.call('sys.config.get', { key: name }))
      .catch(() => null);
    const value = known?.entries[0]?.value;
    setMode(modes.find((name) => name === value) ?? 'steer');
  });
  const choose = async (chosen: InputMode): Promise<void> => {
    setMode(chosen);
    await page.notices.attempt('The choice was not kept', async () =>
      page.gsv.call('sys.config.set', { key: await key(), value: chosen }),
    );
  };
  return { mode, choose };
}

/** When a message is read: the next one, or one that waits. */
export function InputModeChoice(props: {
  mode: InputMode;
  label?: string;
  onChoose(mode: InputMode): void;
}): JSX.Element {
  return (
    <select
      class="input input-mode"
      aria-label={props.label ?? 'When it is read'}
      title={props.label ?? 'When a message is read that you send now'}
      value={props.mode}
      onChange={(event) => {
        const chosen = modes.find((mode) => mode === event.currentTarget.value);
        if (chosen) props.onChoose(chosen);
      }}
    >
      <For each={modes}>{(mode) => <option value={mode}>{names[mode]}</option>}</For>
    </select>
  );
}
