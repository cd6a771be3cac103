import { createEffect, createMemo, createSignal, type JSX, on, Show } from 'solid-js';
import { isActive } from '../../../../shared/state/active.ts';
import { DEFAULT_CONVERSATION } from '../../../../shared/state/conversation-names.ts';
import { usePage } from '../../context.ts';
import type { Attachments } from '../../live/attachments.ts';
import { aboutPlace, createConversation } from '../../live/conversation.ts';
import { createConversations } from '../../live/conversations.ts';
import { elsewhere } from '../../live/elsewhere.ts';
import { Empty } from '../../parts/small.tsx';
import { Announcer } from './announcer.tsx';
import { ChatContext } from './chat-context.ts';
import { Composer } from './composer.tsx';
import { createDropTarget } from './drop-target.ts';
import { ElsewhereNotice } from './elsewhere.tsx';
import { ChatHeader } from './header.tsx';
import { Inspector } from './inspector.tsx';
import { createInspectorState } from './inspector-state.ts';
import { Log } from './log.tsx';
import { Pressure } from './pressure.tsx';
import { Queue } from './queue.tsx';

/** The chosen process, or the user's own `init`, which is started when there is none yet. */
export function ChatView(): JSX.Element {
  const page = usePage();
  const pid = createMemo(() => {
    const route = page.router.route();
    return (route.view === 'chat' ? route.pid : null) ?? page.home()?.pid ?? null;
  });
  const conversationId = createMemo(() => {
    const route = page.router.route();
    return (route.view === 'chat' ? route.conversationId : undefined) ?? DEFAULT_CONVERSATION;
  });
  createEffect(
    on([page.processesReady, pid], ([ready, known]) => {
      if (!ready || known !== null) return;
      void page.notices.attempt('The first conversation could not be started', () =>
        page.gsv.call('proc.spawn', { profile: 'init' }),
      );
    }),
  );
  return (
    <Show when={pid()} fallback={<main class="view" id="main" aria-busy="true" />}>
      {(chosen) => <Chat pid={chosen()} conversationId={conversationId()} />}
    </Show>
  );
}

function Chat(props: { pid: string; conversationId: string }): JSX.Element {
  const page = usePage();
  const place = createMemo(() => ({ pid: props.pid, conversationId: props.conversationId }));
  const conversation = createConversation(page.gsv, place);
  const conversations = createConversations(page.gsv, () => props.pid);
  const process = createMemo(() => page.processes.find((row) => row.pid === props.pid));
  const inspector = createInspectorState();
  const folds = new Map<string, boolean>();
  const [draft, setDraft] = createSignal('');
  const [sent, setSent] = createSignal(0);
  const countSent = () => setSent((count) => count + 1);
  const isOnly = (): boolean => conversations().length <= 1;
  const running = createMemo(() => conversation.run() !== null || (isOnly() && isActive(process()?.state)));
  const attachments = (): Attachments => page.attachments(props.pid);
  const drop = createDropTarget((files) => attachments().add(files));
  const owner = createMemo(() => elsewhere(conversation.run(), page.status(), page.replicas));
  createEffect(() => page.setLastChat(props.pid));
  createEffect(() => {
    if (conversation.items().some(({ kind }) => kind === 'answer')) page.installing.useful();
  });
  const gone = (): boolean => page.processesReady() && process() === undefined;
  return (
    <ChatContext.Provider
      value={{
        pid: () => props.pid,
        place,
        about: () => aboutPlace(place()),
        conversations,
        process,
        conversation,
        running,
        owner,
        folds,
        draft,
        setDraft,
        attachments,
        sent,
        countSent,
      }}
    >
      <div class="chat" classList={{ 'with-inspector': inspector.open() }}>
        <main class="conversation" id="main" {...drop.handlers}>
          <ChatHeader inspector={inspector} />
          <Show
            when={!gone()}
            fallback={
              <Empty title="This process has ended.">
                Its history is kept in the archive. Choose another one, or start a new conversation.
              </Empty>
            }
          >
            <Log />
            <Announcer />
            <div class="composer-area">
              <ElsewhereNotice />
              <Pressure />
              <Queue />
              <Composer />
            </div>
            <Show when={drop.over()}>
              <p class="drop-hint">Drop to attach</p>
            </Show>
          </Show>
        </main>
        <Show when={inspector.open()}>
          <Inspector onClose={() => inspector.set(false)} />
        </Show>
      </div>
    </ChatContext.Provider>
  );
}
