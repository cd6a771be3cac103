import { createSignal, For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import { createSchedules, type LiveSchedule } from '../../live/schedules.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/small.tsx';
import { ProcessTabs } from '../processes/tabs.tsx';
import { ViewHead } from '../shell/view-head.tsx';
import { ScheduleCard } from './schedule-card.tsx';
import { ScheduleEditor } from './schedule-editor.tsx';

/** What happens by itself, and when. */
export function SchedulesView(): JSX.Element {
  const page = usePage();
  const schedules = createSchedules(page.gsv);
  const [edited, edit] = createSignal<LiveSchedule | 'new' | null>(null);
  const shown = (): string | undefined => {
    const route = page.router.route();
    return route.view === 'schedules' ? route.id : undefined;
  };
  const on = (): number => schedules.list.filter(({ enabled }) => enabled).length;
  return (
    <main class="view schedules" id="main">
      <ViewHead title="Schedules">
        <p class="view-count">
          {schedules.list.length} in all, {on()} on
        </p>
        <button type="button" class="button primary" onClick={() => edit('new')}>
          <Icon name="plus" size={16} />
          New schedule
        </button>
      </ViewHead>
      <ProcessTabs />
      <div class="view-body">
        <Show
          when={schedules.list.length > 0}
          fallback={
            <Show when={schedules.ready()}>
              <Empty title="Nothing happens by itself yet.">
                Make a schedule: a reminder, a question that GSV answers each morning, a command at night. Or
                ask for one in a conversation.
              </Empty>
            </Show>
          }
        >
          <ul class="plain rows" aria-label="Schedules">
            <For each={schedules.list}>
              {(row) => <ScheduleCard row={row} shown={row.id === shown()} onEdit={() => edit({ ...row })} />}
            </For>
          </ul>
        </Show>
      </div>
      <Show when={edited()} keyed>
        {(one) => <ScheduleEditor schedule={one === 'new' ? undefined : one} onClose={() => edit(null)} />}
      </Show>
    </main>
  );
}
