import { createEffect, For, type JSX, Show, untrack } from 'solid-js';
import { type Page, usePage } from '../../context.ts';
import type { LiveNotification } from '../../live/notifications.ts';
import { processTitle } from '../../live/processes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { tameProse } from '../../parts/machine-text.ts';
import { Dot, Empty, type Tone } from '../../parts/small.tsx';
import { clockTime, fullTime } from '../../parts/words.ts';
import { chatPath } from '../../route.ts';
import { NotificationActions } from './notification-actions.tsx';
import { PermissionRow } from './permission-row.tsx';

const tones: Record<LiveNotification['level'], Tone> = {
  info: 'off',
  success: 'good',
  warning: 'wait',
  error: 'bad',
};
const levels: Record<LiveNotification['level'], string> = {
  info: 'Note',
  success: 'Done',
  warning: 'Attention',
  error: 'Error',
};

/** What GSV told its person while they did not look. Seeing it counts as reading it. */
export function NotificationsPanel(): JSX.Element {
  const page = usePage();
  createReading(page);
  const dismiss = (rows: readonly LiveNotification[]): Promise<unknown> =>
    page.notices.attempt('It was not dismissed', () =>
      Promise.all(
        rows.map(({ notificationId }) => page.gsv.call('notification.dismiss', { notificationId })),
      ),
    );
  return (
    <Dialog title="Notifications" shape="sheet" onClose={() => page.show('none')}>
      <Show
        when={page.notifications.length > 0}
        fallback={
          <Empty title="Nothing new.">
            What GSV wants to tell you while you are away is kept here: a run that ended, a file that was
            changed in two places.
          </Empty>
        }
      >
        <ul class="plain notifications" aria-label="Notifications">
          <For each={page.notifications}>
            {(row) => <NotificationItem row={row} onDismiss={() => void dismiss([row])} />}
          </For>
        </ul>
        <Show when={page.notifications.length > 1}>
          <div class="sheet-foot">
            <button type="button" class="button" onClick={() => void dismiss([...page.notifications])}>
              Dismiss all
            </button>
          </div>
        </Show>
      </Show>
      <PermissionRow />
    </Dialog>
  );
}

/** Marks as read what is shown, once each. */
function createReading(page: Page): void {
  const asked = new Set<string>();
  createEffect(() => {
    const unread = page.notifications.filter((row) => row.readAt === null && !asked.has(row.notificationId));
    for (const { notificationId } of unread) {
      asked.add(notificationId);
      void page.notices.attempt('It was not marked as read', () =>
        page.gsv.call('notification.mark_read', { notificationId }),
      );
    }
  });
}

function NotificationItem(props: { row: LiveNotification; onDismiss(): void }): JSX.Element {
  const page = usePage();
  /** As it was when the panel showed it first; by now it counts as read. */
  const fresh = untrack(() => props.row.readAt === null);
  const title = (): string => tameProse(props.row.title);
  return (
    <li class="notification" classList={{ fresh }}>
      <Dot tone={tones[props.row.level]} />
      <div class="notification-main">
        <p class="notification-title" dir="auto">
          <span class="visually-hidden">
            {fresh ? 'New. ' : ''}
            {levels[props.row.level]}:{' '}
          </span>
          {title()}
        </p>
        <Show when={props.row.body}>
          {(body) => (
            <p class="notification-body" dir="auto">
              {tameProse(body())}
            </p>
          )}
        </Show>
        <NotificationActions row={props.row} />
        <p class="notification-foot">
          <time dateTime={new Date(props.row.createdAt).toISOString()} title={fullTime(props.row.createdAt)}>
            {clockTime(props.row.createdAt, page.now())}
          </time>
          <Origin row={props.row} />
        </p>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label={`Dismiss “${title()}”`}
        title="Dismiss"
        onClick={() => props.onDismiss()}
      >
        <Icon name="close" size={15} />
      </button>
    </li>
  );
}

function Origin(props: { row: LiveNotification }): JSX.Element {
  const page = usePage();
  const process = () => {
    const { source } = props.row;
    return source.kind === 'process' ? page.processes.find((row) => row.pid === source.processId) : undefined;
  };
  return (
    <Show when={process()}>
      {(row) => (
        <Link href={chatPath(row().pid)} onGo={() => page.show('none')}>
          {processTitle(row())}
        </Link>
      )}
    </Show>
  );
}
