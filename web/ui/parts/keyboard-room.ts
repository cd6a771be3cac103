/** Less than this is the browser's own bars coming and going. */
const KEYBOARD_PX = 120;

/**
 * Keeps the page above the on-screen keyboard where the browser lays it over the page (iOS); others make the page
 * smaller themselves, as `interactive-widget` asks.
 */
export function followKeyboard(): void {
  const view = window.visualViewport;
  if (!view) return;
  const follow = (): void => {
    const covered = window.innerHeight - view.height;
    const { style } = document.documentElement;
    // Zoomed in with two fingers, the view is smaller for another reason.
    if (covered > KEYBOARD_PX && view.scale === 1) style.setProperty('--height', `${view.height}px`);
    else style.removeProperty('--height');
  };
  view.addEventListener('resize', follow);
  follow();
}
