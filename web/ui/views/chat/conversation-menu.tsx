import { createSignal, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { Menu } from '../../parts/menu.tsx';
import { useChat } from './chat-context.ts';
import { compactConversation } from './compact.ts';
import { ConversationsDialog } from './conversations-dialog.tsx';
import { createPin } from './create-pin.ts';

const types = { markdown: 'text/markdown;charset=utf-8', json: 'application/json' } as const;

/** What can be done with a conversation as a whole. */
export function ConversationMenu(): JSX.Element {
  const page = usePage();
  const { gsv, notices } = page;
  const { about } = useChat();
  const [listed, setListed] = createSignal(false);
  const save = async (format: keyof typeof types): Promise<void> => {
    const answer = await notices.attempt('The conversation was not exported', () =>
      gsv.call('proc.export', { ...about(), format }),
    );
    if (answer === null) return;
    const { saveFile } = await import('../../live/files.ts');
    saveFile(answer.name, new Blob([answer.text], { type: types[format] }));
    notices.good(`Saved as ${answer.name}.`);
  };
  const startAnew = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Archive this conversation and start anew?',
      text: 'Its messages go to the archive, where they can be read and searched. A run that goes on is stopped.',
      action: 'Archive and start anew',
      danger: false,
    });
    if (!sure) return;
    const answer = await notices.attempt('The conversation was not archived', () =>
      gsv.call('proc.conversation.reset', about()),
    );
    if (answer !== null) notices.good(`${answer.archivedMessages} messages are in the archive.`);
  };
  const { pinned, pin } = createPin();
  const keepHere = async (): Promise<void> => {
    const sure = await notices.confirm({
      title: 'Keep this conversation on this device?',
      text: 'From now on a model of this device answers it, network tools and devices are used only when you approve each time, and neither the server nor your other browsers get more of it. What they have already stays there. Files that the agent writes, and archives, are files like any other.',
      action: 'Keep it here',
      danger: false,
    });
    if (sure) await pin(true);
  };
  return (
    <>
      <Menu
        label="More about this conversation"
        icon="more"
        items={[
          { name: 'Conversations and search', run: () => setListed(true) },
          { name: 'Compact', run: () => void compactConversation(page, about()) },
          { name: 'Archive and start anew', run: () => void startAnew() },
          pinned()
            ? { name: 'Let it leave this device', run: () => void pin(false) }
            : { name: 'Keep it on this device', run: () => void keepHere() },
          { name: 'Export as Markdown', run: () => void save('markdown') },
          { name: 'Export as JSON', run: () => void save('json') },
        ]}
      />
      <Show when={listed()}>
        <ConversationsDialog onClose={() => setListed(false)} />
      </Show>
    </>
  );
}
