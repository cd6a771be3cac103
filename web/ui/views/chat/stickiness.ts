import { type Accessor, createSignal } from 'solid-js';

/** A scroll this soon after a touch, key or wheel is its reader's doing; sizes that settle also move the page. */
const INTENT_MS = 1_500;
/** Nearer than this to the end counts as being there. */
const NEAR_END_PX = 48;

/** Keeps the end in view for as long as its reader has not scrolled away from it. */
export function createStickiness(scroller: Accessor<HTMLElement | undefined>) {
  const [stuck, set] = createSignal(true);
  let lastTop = 0;
  let intendedAt = Number.NEGATIVE_INFINITY;
  const distance = (element: HTMLElement): number =>
    element.scrollHeight - element.scrollTop - element.clientHeight;
  return {
    stuck,
    set,
    toEnd(): void {
      const element = scroller();
      if (element === undefined) return;
      element.scrollTop = element.scrollHeight;
      lastTop = element.scrollTop;
    },
    /** Its reader has touched the log, or pressed a key or turned the wheel over it. */
    intend(): void {
      intendedAt = performance.now();
    },
    onScroll(): void {
      const element = scroller();
      if (element === undefined) return;
      if (distance(element) < NEAR_END_PX) set(true);
      else if (element.scrollTop < lastTop - 1 && performance.now() - intendedAt < INTENT_MS) set(false);
      lastTop = element.scrollTop;
    },
  };
}
