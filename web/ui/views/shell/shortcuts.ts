import { onCleanup } from 'solid-js';
import type { Page } from '../../context.ts';

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Ctrl+K (or ⌘K) opens the palette everywhere; `/` goes to the message box when nothing is being typed. */
export function createShortcuts(page: Page): void {
  const onKey = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      page.show(page.overlay() === 'palette' ? 'none' : 'palette');
      return;
    }
    if (event.key === '/' && !isTyping(event.target) && page.overlay() === 'none') {
      const composer = document.querySelector<HTMLElement>('.composer textarea');
      if (composer === null) return;
      event.preventDefault();
      composer.focus();
    }
  };
  document.addEventListener('keydown', onKey);
  onCleanup(() => document.removeEventListener('keydown', onKey));
}
