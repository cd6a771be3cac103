import { createMemo, type JSX, Show } from 'solid-js';
import { isActive } from '../../../../shared/state/active.ts';
import { usePage } from '../../context.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty } from '../../parts/small.tsx';
import { ViewHead } from '../shell/view-head.tsx';
import { ProcessTree } from './process-tree.tsx';
import { ProcessTabs } from './tabs.tsx';

export function ProcessesView(): JSX.Element {
  const page = usePage();
  const running = createMemo(() => page.processes.filter(({ state }) => isActive(state)).length);
  return (
    <main class="view" id="main">
      <ViewHead title="Processes">
        <p class="view-count">
          {page.processes.length} in all, {running()} at work
        </p>
        <button type="button" class="button primary" onClick={() => page.show('spawn')}>
          <Icon name="plus" size={16} />
          New process
        </button>
      </ViewHead>
      <ProcessTabs />
      <div class="view-body">
        <Show
          when={page.processes.length > 0}
          fallback={<Empty title="Nothing runs.">Start a conversation, and its process appears here.</Empty>}
        >
          <ProcessTree />
        </Show>
      </div>
    </main>
  );
}
