import { createSignal, type JSX, onCleanup, Show } from 'solid-js';
import type { Attachment } from '../../../client/gsv.ts';
import { usePage } from '../../context.ts';
import { Dot } from '../../parts/small.tsx';

/** A kernel that is found again within this time is not worth a word. */
const PATIENCE_MS = 800;

/** Says that the kernel is lost, while it is looked for. */
export function Banner(): JSX.Element {
  const { gsv } = usePage();
  const [state, setState] = createSignal<{ attachment: Attachment; reason: string }>({
    attachment: 'attached',
    reason: '',
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = gsv.onAttachment((attachment, reason) => {
    clearTimeout(timer);
    if (attachment === 'attaching') timer = setTimeout(() => setState({ attachment, reason }), PATIENCE_MS);
    else setState({ attachment, reason });
  });
  onCleanup(() => {
    clearTimeout(timer);
    stop();
  });
  return (
    <div role="status">
      <Show when={state().attachment !== 'attached'}>
        <div class="banner" classList={{ bad: state().attachment === 'failed' }}>
          <Dot tone={state().attachment === 'failed' ? 'bad' : 'busy'} beats />
          <span>
            {state().attachment === 'failed'
              ? `GSV has stopped in this browser${state().reason === '' ? '' : `: ${state().reason}`}. Nothing that was answered is lost; reload the page to start it again.`
              : 'GSV starts again in this browser… What you send waits for it.'}
          </span>
        </div>
      </Show>
    </div>
  );
}
