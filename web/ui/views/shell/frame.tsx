import { createEffect, type JSX, lazy, Match, Show, Suspense, Switch } from 'solid-js';
import { usePage } from '../../context.ts';
import { createAttention } from '../../live/attention.ts';
import { processTitle } from '../../live/processes.ts';
import { createSystemNotices } from '../../live/system-notices.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { ChatView } from '../chat/chat.tsx';
import { Banner } from './banner.tsx';
import { Rail } from './rail.tsx';
import { createShortcuts } from './shortcuts.ts';

const ProcessesView = lazy(async () => ({
  default: (await import('../processes/processes.tsx')).ProcessesView,
}));
const SchedulesView = lazy(async () => ({
  default: (await import('../schedules/schedules.tsx')).SchedulesView,
}));
const DevicesView = lazy(async () => ({ default: (await import('../devices/devices.tsx')).DevicesView }));
const SettingsView = lazy(async () => ({ default: (await import('../settings/settings.tsx')).SettingsView }));
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const ConversationsSheet = lazy(async () => ({
  default: (await import('./conversations-sheet.tsx')).ConversationsSheet,
}));
const SpawnDialog = lazy(async () => ({
  default: (await import('../processes/spawn-dialog.tsx')).SpawnDialog,
}));
const AddDeviceDialog = lazy(async () => ({
  default: (await import('../devices/add-device.tsx')).AddDeviceDialog,
}));
const AddBrowserDialog = lazy(async () => ({
  default: (await import('../devices/add-browser.tsx')).AddBrowserDialog,
}));
const NotificationsPanel = lazy(async () => ({
  default: (await import('./notifications-panel.tsx')).NotificationsPanel,
}));
const LinkDialog = lazy(async () => ({ default: (await import('./link-dialog.tsx')).LinkDialog }));

export function Frame(): JSX.Element {
  const page = usePage();
  createShortcuts(page);
  createTitle();
  createAttention(page);
  createSystemNotices(page);
  const view = (): string => page.router.route().view;
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail />
      <div class="stage">
        <Banner />
        <Suspense fallback={<div class="view" aria-busy="true" />}>
          <Switch>
            <Match when={view() === 'chat'}>
              <ChatView />
            </Match>
            <Match when={view() === 'processes'}>
              <ProcessesView />
            </Match>
            <Match when={view() === 'schedules'}>
              <SchedulesView />
            </Match>
            <Match when={view() === 'devices'}>
              <DevicesView />
            </Match>
            <Match when={view() === 'settings'}>
              <SettingsView />
            </Match>
          </Switch>
        </Suspense>
      </div>
      <Overlays />
    </div>
  );
}

function Overlays(): JSX.Element {
  const page = usePage();
  return (
    <Suspense>
      <Switch>
        <Match when={page.overlay() === 'palette'}>
          <Palette />
        </Match>
        <Match when={page.overlay() === 'conversations'}>
          <ConversationsSheet />
        </Match>
        <Match when={page.overlay() === 'spawn'}>
          <SpawnDialog />
        </Match>
        <Match when={page.overlay() === 'add-device'}>
          <AddDeviceDialog onClose={() => page.show('none')} />
        </Match>
        <Match when={page.overlay() === 'add-browser'}>
          <AddBrowserDialog />
        </Match>
        <Match when={page.overlay() === 'notifications'}>
          <NotificationsPanel />
        </Match>
        <Match when={page.overlay() === 'link'}>
          <LinkDialog />
        </Match>
      </Switch>
      <Show when={page.notices.question()} keyed>
        <ConfirmDialog />
      </Show>
    </Suspense>
  );
}

/** The tab says what waits for its person, also from the background. */
function createTitle(): void {
  const page = usePage();
  const place = (): string => {
    const route = page.router.route();
    if (route.view !== 'chat') return `${route.view.charAt(0).toUpperCase()}${route.view.slice(1)}`;
    const open = page.processes.find((row) => row.pid === (route.pid ?? page.home()?.pid));
    return open === undefined ? 'Chat' : processTitle(open);
  };
  createEffect(() => {
    const waiting = page.processes.filter((row) => row.state === 'waiting').length;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${place()} · GSV`;
  });
}
