import { createEffect, createSignal, onCleanup } from 'solid-js';
import { usePage } from '../../context.ts';
import { useChat } from './chat-context.ts';

/** Told to every part of this page that shows whether a conversation stays on this device. */
const PINNED = 'gsv-pinned';

/** Whether the conversation that is shown never leaves this device, and how to change that. */
export function createPin() {
  const { gsv, notices } = usePage();
  const { place } = useChat();
  const [pinned, setPinned] = createSignal(false);
  const read = async (): Promise<void> => {
    const answer = await gsv.call('proc.conversation.get', place()).catch(() => null);
    setPinned(answer?.ok === true && answer.conversation?.private === true);
  };
  createEffect(() => void read());
  const onChange = (): void => void read();
  window.addEventListener(PINNED, onChange);
  onCleanup(() => window.removeEventListener(PINNED, onChange));
  const pin = async (on: boolean): Promise<void> => {
    await notices.attempt('It was not changed', () =>
      gsv.call('proc.conversation.pin', { ...place(), private: on }),
    );
    window.dispatchEvent(new Event(PINNED));
  };
  return { pinned, pin };
}
