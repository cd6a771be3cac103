import { type Accessor, createSignal } from 'solid-js';

/** Nearer than this to the end counts as being there. */
const NEAR_END_PX = 48;

/** Keeps the end in view for as long as its reader has not scrolled away from it. */
export function createStickiness(scroller: Accessor<HTMLElement | undefined>) {
  const [stuck, set] = createSignal(true);
  let lastTop = 0;
  const distance = (element: HTMLElement): number => element.scrollHeight - element.scrollTop - element.clientHeight;
  return {
    stuck,
    set,
    toEnd(): void {
      const element = scroller();
      if (element === undefined) return;
      element.scrollTop = element.scrollHeight;
      lastTop = element.scrollTop;
    },
    /** The reader turns the wheel towards the start: let go at once, not only when it shows. */
    leave(): void {
      const element = scroller();
      if (element !== undefined && element.scrollHeight > element.clientHeight) set(false);
    },
    onScroll(): void {
      const element = scroller();
      if (element === undefined) return;
      if (distance(element) < NEAR_END_PX) set(true);
      else if (element.scrollTop < lastTop - 1) set(false);
      lastTop = element.scrollTop;
    },
  };
}
