import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Toasts } from '../../parts/toasts.tsx';
import { chatPath, type Route } from '../../route.ts';
import { Bell } from './bell.tsx';
import { Offers } from './offers.tsx';
import { ProcessList } from './process-list.tsx';
import { SyncButton } from './sync-button.tsx';

/**
 * The left side on a wide screen, with the notices above its navigation. On a phone the navigation is the bottom bar and
 * notices stand at the top; either way they take room of their own and cover nothing.
 */
export function Rail(): JSX.Element {
  const page = usePage();
  return (
    <div class="rail">
      <div class="rail-top">
        <div class="brand">
          <span class="brand-mark">GSV</span>
          <Show when={!page.narrow()}>
            <Bell />
          </Show>
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
      <Toasts notices={page.notices} />
      <Offers />
      <Show when={!page.narrow()}>
        <SyncButton />
      </Show>
      <MainNav />
    </div>
  );
}

const places: readonly { view: Route['view']; href: string; name: string; icon: IconName }[] = [
  { view: 'chat', href: '/', name: 'Chat', icon: 'chat' },
  { view: 'processes', href: '/processes', name: 'Processes', icon: 'processes' },
  { view: 'devices', href: '/devices', name: 'Devices', icon: 'devices' },
  { view: 'settings', href: '/settings', name: 'Settings', icon: 'settings' },
];

/** Schedules stand beside what runs. */
function placeOf(view: Route['view']): Route['view'] {
  return view === 'schedules' ? 'processes' : view;
}

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
          <Link href={href(place)} current={placeOf(page.router.route().view) === place.view}>
            <Icon name={place.icon} size={19} />
            <span>{place.name}</span>
          </Link>
        )}
      </For>
    </nav>
  );
}
