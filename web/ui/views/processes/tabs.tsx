import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { Tabs } from '../../parts/tabs.tsx';

/** What runs, and what will. */
export function ProcessTabs(): JSX.Element {
  const { router } = usePage();
  const tab = (name: string, view: 'processes' | 'schedules') => ({
    href: `/${view}`,
    name,
    current: router.route().view === view,
  });
  return (
    <Tabs label="Running and planned" tabs={[tab('Running', 'processes'), tab('Schedules', 'schedules')]} />
  );
}
