import { For, type JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { syncWords } from '../../live/status.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Dot } from '../../parts/small.tsx';
import { chatPath, type Route } from '../../route.ts';
import { ProcessList } from './process-list.tsx';

/** The left side on a wide screen; on a phone only its navigation is left, as the bottom bar. */
export function Rail(): JSX.Element {
  const page = usePage();
  return (
    <div class="rail">
      <div class="rail-top">
        <div class="brand">
          <span class="brand-mark">GSV</span>
          <SyncBadge />
        </div>
        <div class="rail-tools">
          <button
            type="button"
            class="find"
            aria-keyshortcuts="Control+K"
            onClick={() => page.show('palette')}
          >
            <Icon name="search" size={15} />
            <span>Search or run…</span>
            <span class="key" aria-hidden="true">
              Ctrl K
            </span>
          </button>
          <button
            type="button"
            class="icon-button framed"
            aria-label="New conversation"
            title="New conversation"
            onClick={() => page.show('spawn')}
          >
            <Icon name="plus" />
          </button>
        </div>
      </div>
      <nav class="rail-list" aria-label="Conversations">
        <ProcessList />
      </nav>
      <MainNav />
    </div>
  );
}

export function SyncBadge(): JSX.Element {
  const page = usePage();
  const words = () => syncWords(page.status(), page.offlineSince(), page.now());
  return (
    <span class="sync" role="status" title={words().detail}>
      <Dot tone={words().tone} beats={words().tone === 'busy'} />
      {words().text}
    </span>
  );
}

const places: readonly { view: Route['view']; href: string; name: string; icon: IconName }[] = [
  { view: 'chat', href: '/', name: 'Chat', icon: 'chat' },
  { view: 'processes', href: '/processes', name: 'Processes', icon: 'processes' },
  { view: 'devices', href: '/devices', name: 'Devices', icon: 'devices' },
  { view: 'settings', href: '/settings', name: 'Settings', icon: 'settings' },
];

function MainNav(): JSX.Element {
  const page = usePage();
  /** Back to the chat means back to the conversation that was open. */
  const href = (place: (typeof places)[number]): string => {
    const pid = page.lastChat();
    const open = place.view === 'chat' && page.processes.some((row) => row.pid === pid);
    return open && pid !== null ? chatPath(pid) : place.href;
  };
  return (
    <nav class="main-nav" aria-label="Main">
      <For each={places}>
        {(place) => (
          <Link href={href(place)} current={page.router.route().view === place.view}>
            <Icon name={place.icon} size={19} />
            <span>{place.name}</span>
          </Link>
        )}
      </For>
    </nav>
  );
}
