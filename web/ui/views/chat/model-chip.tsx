import { type JSX, Show } from 'solid-js';
import { isLocal } from '../../../../shared/kernel/local/engine-names.ts';
import { usePage } from '../../context.ts';
import { readChoice } from '../../live/model-choice.ts';
import { createAsked } from '../../parts/asked.ts';
import { Chip } from '../../parts/small.tsx';
import { useChat } from './chat-context.ts';
import { createPin } from './create-pin.ts';

/** Which model answers now, or answered last, or is going to, and whether the conversation stays on this device. */
export function ModelChip(): JSX.Element {
  const { conversation } = useChat();
  const { pinned } = createPin();
  const page = usePage();
  const chosen = createAsked(() => readChoice(page));
  const words = (): { text: string; title: string } | undefined => {
    const answered = conversation.run() ?? conversation.rows().findLast(({ model }) => model !== undefined);
    const row = answered?.model ? answered : chosen.latest();
    const provider = row?.provider ?? '';
    const name = shortModel(row?.model ?? '');
    const local = isLocal(provider);
    if (pinned())
      return {
        text: local && name ? `${name} · stays here` : 'Stays here',
        title: 'A model of this device answers, and nothing of this conversation is sent anywhere',
      };
    if (name === '') return undefined;
    return local
      ? { text: `${name} · here`, title: 'Answers on this device' }
      : { text: name, title: `Answers at ${provider}` };
  };
  return <Show when={words()}>{(said) => <Chip title={said().title}>{said().text}</Chip>}</Show>;
}

/** `vendor/model` without its vendor. */
function shortModel(name: string): string {
  return name.split('/').at(-1) ?? name;
}
