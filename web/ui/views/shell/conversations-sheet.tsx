import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProcessList } from './process-list.tsx';

/** The rail of a phone. */
export function ConversationsSheet(): JSX.Element {
  const page = usePage();
  return (
    <Dialog title="Conversations" shape="sheet" onClose={() => page.show('none')}>
      <div class="sheet-tools">
        <button type="button" class="button" onClick={() => page.show('spawn')}>
          <Icon name="plus" size={16} />
          New conversation
        </button>
        <button type="button" class="button" onClick={() => page.show('palette')}>
          <Icon name="search" size={16} />
          Search
        </button>
      </div>
      <ProcessList onGo={() => page.show('none')} />
    </Dialog>
  );
}
