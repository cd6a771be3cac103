import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import { syncWords } from '../../live/status.ts';
import { Dot } from '../../parts/small.tsx';

/** The one place that says how this browser stands with its server. More is said when it is pressed. */
export function SyncButton(): JSX.Element {
  const page = usePage();
  const words = () => syncWords(page.status(), page.now());
  return (
    <span role="status" class="sync-place">
      <button
        type="button"
        class="sync"
        aria-haspopup="dialog"
        title={words().detail}
        onClick={() => page.show('link')}
      >
        <Dot tone={words().tone} beats={words().tone === 'busy'} />
        <span>{words().text}</span>
      </button>
    </span>
  );
}
