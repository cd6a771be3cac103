import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';

/** A scroll this soon after a touch, key or wheel is its reader's doing; sizes that settle also move the page. */
const INTENT_MS = 1_500;
/** Nearer than this to the end counts as being there. */
const NEAR_END_PX = 48;

export type Stickiness = { stuck: Accessor<boolean>; set(stuck: boolean): void; toEnd(): void };

/** Keeps the end in view, whatever grows, for as long as its reader has not scrolled away from it. */
export function createStickiness(
  scroller: Accessor<HTMLElement | undefined>,
  onScrolled: () => void,
): Stickiness {
  const [stuck, set] = createSignal(true);
  let lastTop = 0;
  let intendedAt = Number.NEGATIVE_INFINITY;

  const toEnd = (): void => {
    const element = scroller();
    if (element === undefined) return;
    element.scrollTop = element.scrollHeight;
    lastTop = element.scrollTop;
  };
  const scrolled = (element: HTMLElement): void => {
    const { scrollTop, scrollHeight, clientHeight } = element;
    const byReader = performance.now() - intendedAt < INTENT_MS;
    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX) set(true);
    else if (scrollTop < lastTop - 1 && byReader) set(false);
    lastTop = scrollTop;
    onScrolled();
  };
  const intend = (): void => {
    intendedAt = performance.now();
  };
  createEffect(() => {
    const element = scroller();
    if (element === undefined) return;
    const listening = new AbortController();
    const options = { passive: true, signal: listening.signal };
    for (const event of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
      element.addEventListener(event, intend, options);
    element.addEventListener('scroll', () => scrolled(element), options);
    const grown = new ResizeObserver(() => stuck() && toEnd());
    for (const observed of [element, ...element.children]) grown.observe(observed);
    onCleanup(() => {
      listening.abort();
      grown.disconnect();
    });
  });
  return { stuck, set, toEnd };
}
