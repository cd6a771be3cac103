import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { Menu } from '../../parts/menu.tsx';
import { useChat } from './chat-context.ts';

const types = { markdown: 'text/markdown;charset=utf-8', json: 'application/json' } as const;

/** What can be done with a conversation as a whole. */
export function ConversationMenu(): JSX.Element {
  const { gsv, notices } = usePage();
  const { pid } = useChat();
  const save = async (format: keyof typeof types): Promise<void> => {
    const answer = await notices.attempt('The conversation was not exported', () =>
      gsv.call('proc.export', { pid: pid(), format }),
    );
    if (answer === null) return;
    const { saveFile } = await import('../../live/files.ts');
    saveFile(answer.name, new Blob([answer.text], { type: types[format] }));
    notices.good(`Saved as ${answer.name}.`);
  };
  return (
    <Menu
      label="More about this conversation"
      icon="more"
      items={[
        { name: 'Export as Markdown', run: () => void save('markdown') },
        { name: 'Export as JSON', run: () => void save('json') },
      ]}
    />
  );
}
