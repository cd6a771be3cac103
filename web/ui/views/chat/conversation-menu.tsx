import { createSignal, type JSX, lazy, Match, Suspense, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import { Menu } from '../../parts/menu.tsx';
import { ArchiveDialog, type ArchivedPlace } from './archive.ts';
import { useChat } from './chat-context.ts';
import { createPin } from './create-pin.ts';

const ConversationsDialog = lazy(async () => ({
  default: (await import('./conversations-dialog.tsx')).ConversationsDialog,
}));
const CompactDialog = lazy(async () => ({ default: (await import('./compact-dialog.tsx')).CompactDialog }));
const RenameDialog = lazy(async () => ({ default: (await import('./rename-dialog.tsx')).RenameDialog }));
const FillsUpDialog = lazy(async () => ({ default: (await import('./fills-up-dialog.tsx')).FillsUpDialog }));

const types = { markdown: 'text/markdown;charset=utf-8', json: 'application/json' } as const;

/** What can be done with a conversation as a whole. */
export function ConversationMenu(props: { title: string }): JSX.Element {
  const page = usePage();
  const { gsv, notices } = page;
  const { about, process } = useChat();
  const [shown, show] = createSignal<'list' | ArchivedPlace | 'rename' | 'compact' | 'fills up' | null>(null);
  const archive = (): ArchivedPlace | null => {
    const now = shown();
    return typeof now === 'string' ? null : now;
  };
  const close = (): unknown => show(null);
  const save = async (format: keyof typeof types): Promise<void> => {
    const answer = await notices.attempt('The conversation was not exported', () =>
      gsv.call('proc.export', { ...about(), format }),
    );
    if (answer === null) return;
    const { saveFile } = await import('../../live/files.ts');
    saveFile(answer.name, new Blob([answer.text], { type: types[format] }));
    notices.good(`Saved as ${answer.name}.`);
  };
  const checkpoint = async (): Promise<void> => {
    const saved = await notices.attempt('No checkpoint was saved', () =>
      gsv.call('proc.conversation.checkpoint', about()),
    );
    const [path = ''] = saved?.files ?? [];
    if (saved !== null) notices.good(`Saved in ${path.slice(0, path.lastIndexOf('/'))}.`);
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
          { name: 'Conversations and search', run: () => show('list') },
          { name: 'Rename…', run: () => show('rename') },
          { name: 'Archive of this conversation', run: () => show({ about: about() }) },
          { name: 'Compact…', run: () => show('compact') },
          { name: 'When it fills up…', run: () => show('fills up') },
          ...(process()?.workspaceId ? [{ name: 'Save a checkpoint', run: () => void checkpoint() }] : []),
          { name: 'Archive and start anew', run: () => void startAnew() },
          pinned()
            ? { name: 'Let it leave this device', run: () => void pin(false) }
            : { name: 'Keep it on this device', run: () => void keepHere() },
          { name: 'Export as Markdown', run: () => void save('markdown') },
          { name: 'Export as JSON', run: () => void save('json') },
        ]}
      />
      <Suspense>
        <Switch>
          <Match when={shown() === 'list'}>
            <ConversationsDialog onClose={close} onRead={show} />
          </Match>
          <Match when={archive()}>{(place) => <ArchiveDialog {...place()} onClose={close} />}</Match>
          <Match when={shown() === 'rename'}>
            <RenameDialog title={props.title} onClose={close} />
          </Match>
          <Match when={shown() === 'compact'}>
            <CompactDialog onClose={close} />
          </Match>
          <Match when={shown() === 'fills up'}>
            <FillsUpDialog onClose={close} />
          </Match>
        </Switch>
      </Suspense>
    </>
  );
}
