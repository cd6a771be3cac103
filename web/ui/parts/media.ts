import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** As in the style sheets: up to this width the page is a phone's. */
export const NARROW = '(max-width: 820px)';

/** Whether a media query holds, as a signal. */
export function createMedia(query: string): Accessor<boolean> {
  const media = window.matchMedia(query);
  const [holds, setHolds] = createSignal(media.matches);
  const follow = (): void => {
    setHolds(media.matches);
  };
  media.addEventListener('change', follow);
  onCleanup(() => media.removeEventListener('change', follow));
  return holds;
}
