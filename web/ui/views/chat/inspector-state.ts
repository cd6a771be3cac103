import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { read, write } from '../../parts/memory.ts';

/** From this width on there is room for the inspector beside the conversation. */
const WIDE = '(min-width: 1180px)';

export function isWide(): boolean {
  return window.matchMedia(WIDE).matches;
}

export type InspectorState = { open: Accessor<boolean>; set(open: boolean): void };

/** Beside the conversation it stays as it was left; over it, on a narrow screen, it begins closed. */
export function createInspectorState(): InspectorState {
  const wide = window.matchMedia(WIDE);
  const remembered = (): boolean => wide.matches && read('inspector') !== 'closed';
  const [open, setOpen] = createSignal(remembered());
  const follow = (): void => {
    setOpen(remembered());
  };
  wide.addEventListener('change', follow);
  onCleanup(() => wide.removeEventListener('change', follow));
  return {
    open,
    set(next) {
      setOpen(next);
      if (wide.matches) write('inspector', next ? '' : 'closed');
    },
  };
}
