import { type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { bellName, unreadCount } from '../../live/notifications.ts';
import { Icon } from '../../parts/icon.tsx';

/** More than this is only “many”. */
const MOST = 99;

export function Bell(): JSX.Element {
  const page = usePage();
  const unread = (): number => unreadCount(page.notifications);
  return (
    <button
      type="button"
      class="icon-button bell"
      aria-haspopup="dialog"
      aria-label={bellName(unread())}
      title={bellName(unread())}
      onClick={() => page.show('notifications')}
    >
      <Icon name="bell" />
      <Show when={unread() > 0}>
        <span class="bell-count" aria-hidden="true">
          {unread() > MOST ? `${MOST}+` : unread()}
        </span>
      </Show>
    </button>
  );
}
