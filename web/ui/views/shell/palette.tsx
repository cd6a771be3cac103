import { createMemo, createSignal, For, type JSX, Show } from 'solid-js';
import { type Page, usePage } from '../../context.ts';
import { processActivity, processTitle } from '../../live/processes.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { applyTheme } from '../../parts/theme.ts';
import { chatPath } from '../../route.ts';
import { sections } from '../settings/sections.ts';
import { SearchDialog } from './search-dialog.tsx';

/** `stays`: it goes on in the palette's place. */
type Entry = { name: string; detail: string; icon: IconName; stays?: true; run(): void };

function entriesOf(page: Page): Entry[] {
  const go = (path: string) => () => page.router.go(path);
  return [
    ...page.processes.map(
      (row): Entry => ({
        name: processTitle(row),
        detail: processActivity(row),
        icon: 'chat',
        run: go(chatPath(row.pid)),
      }),
    ),
    { name: 'New conversation', detail: 'begin another', icon: 'plus', run: () => page.show('spawn') },
    {
      name: 'Add a device',
      detail: 'connect a workstation',
      icon: 'devices',
      run: () => page.show('add-device'),
    },
    {
      name: 'Add a browser',
      detail: 'open this GSV on another device',
      icon: 'devices',
      run: () => page.show('add-browser'),
    },
    {
      name: 'Notifications',
      detail: 'what happened meanwhile',
      icon: 'bell',
      run: () => page.show('notifications'),
    },
    {
      name: 'Server',
      detail: 'how this browser stands with it',
      icon: 'retry',
      run: () => page.show('link'),
    },
    { name: 'Processes', detail: 'go to', icon: 'processes', run: go('/processes') },
    { name: 'Schedules', detail: 'go to', icon: 'processes', run: go('/schedules') },
    { name: 'Devices', detail: 'go to', icon: 'devices', run: go('/devices') },
    ...sections.map(
      ({ id, name, found }): Entry => ({
        name: `Settings: ${name.toLowerCase()}`,
        detail: found,
        icon: 'settings',
        run: go(`/settings/${id}`),
      }),
    ),
    ...(page.disk()?.password ? [lockEntry(page)] : []),
    { name: 'Light theme', detail: 'appearance', icon: 'settings', run: () => applyTheme('light') },
    { name: 'Dark theme', detail: 'appearance', icon: 'settings', run: () => applyTheme('dark') },
    { name: 'Theme of the system', detail: 'appearance', icon: 'settings', run: () => applyTheme('system') },
  ];
}

function lockEntry({ gsv, notices }: Page): Entry {
  return {
    name: 'Lock now',
    detail: 'your password opens GSV again',
    icon: 'settings',
    run: () => void notices.attempt('It could not be locked', () => gsv.call('sys.disk.lock', {})),
  };
}

/** Every word of the query has to occur. */
export function matches(query: string, entry: Pick<Entry, 'name' | 'detail'>): boolean {
  const text = `${entry.name} ${entry.detail}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Everything that can be done or gone to; from here, messages are searched too. */
export function Palette(): JSX.Element {
  const page = usePage();
  const [said, setSaid] = createSignal<string | null>(null);
  return (
    <Show when={said()} fallback={<Commands onSearch={setSaid} />}>
      {(query) => <SearchDialog query={query()} onClose={() => page.show('none')} />}
    </Show>
  );
}

function Commands(props: { onSearch(query: string): void }): JSX.Element {
  const page = usePage();
  const [query, setQuery] = createSignal('');
  const [chosen, setChosen] = createSignal(0);
  const inMessages = (): Entry[] =>
    query().trim() === ''
      ? []
      : [
          {
            name: `Search messages for “${query().trim()}”`,
            detail: 'all conversations',
            icon: 'search',
            stays: true,
            run: () => props.onSearch(query().trim()),
          },
        ];
  const found = createMemo(() => [
    ...entriesOf(page).filter((entry) => matches(query().trim(), entry)),
    ...inMessages(),
  ]);
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    if (!entry.stays) page.show('none');
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const count = Math.max(1, found().length);
      setChosen((place) => (place + step + count) % count);
      document.getElementById(`palette-${chosen()}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      run(found()[chosen()]);
    }
  };
  return (
    <Dialog title="Search or run" shape="palette" bare onClose={() => page.show('none')}>
      <div class="palette-find">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Search or run"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found().length > 0 ? `palette-${chosen()}` : undefined}
          placeholder="Search or run…"
          autocomplete="off"
          autofocus
          value={query()}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id="palette-list" class="palette-list" role="listbox" aria-label="Found">
        <For each={found()}>
          {(entry, place) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above takes the keys, as the pattern wants
            <div
              id={`palette-${place()}`}
              class="palette-row"
              role="option"
              tabIndex={-1}
              aria-selected={chosen() === place()}
              onPointerMove={() => setChosen(place())}
              onClick={() => run(entry)}
            >
              <Icon name={entry.icon} size={16} />
              <span>{entry.name}</span>
              <small>{entry.detail}</small>
            </div>
          )}
        </For>
      </div>
    </Dialog>
  );
}
