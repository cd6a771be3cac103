import { onCleanup } from 'solid-js';

/** What the history's entry says while something lies over the page. */
type LayerState = { layer?: unknown } | null;

let opened = 0;

/**
 * While its owner is rendered, going back (the gesture of a phone, or the button) closes it instead of leaving the
 * page. Several may lie over each other: the uppermost closes first.
 */
export function closeOnBack(onClose: () => void): void {
  // Entries of this history may be of earlier loads of the page. A page without TLS has no `randomUUID`.
  opened += 1;
  const layer = `${performance.timeOrigin}/${opened}`;
  history.pushState({ layer }, '');
  const onPop = (): void => {
    // It is the entry of now again when what lay over it was closed.
    if (layerOfNow() !== layer) onClose();
  };
  window.addEventListener('popstate', onPop);
  onCleanup(() => {
    window.removeEventListener('popstate', onPop);
    // Whoever closes it may go to another place in the same breath, which takes the entry over.
    setTimeout(() => {
      if (layerOfNow() === layer) history.back();
    });
  });
}

/** The layer of the history's entry of now; undefined for an entry of the page itself. */
export function layerOfNow(): unknown {
  return (history.state as LayerState)?.layer;
}
