import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { Link } from '../../parts/link.tsx';

/** What runs, and what will. */
export function ProcessTabs(): JSX.Element {
  const { router } = usePage();
  const view = (): string => router.route().view;
  return (
    <nav class="tabs" aria-label="Running and planned">
      <Link href="/processes" current={view() === 'processes'}>
        Running
      </Link>
      <Link href="/schedules" current={view() === 'schedules'}>
        Schedules
      </Link>
    </nav>
  );
}
