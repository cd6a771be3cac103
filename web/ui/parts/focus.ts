/** For `ref`: gives the focus to an element as soon as it stands in the page. */
export function focusSoon(element: HTMLElement): void {
  queueMicrotask(() => element.focus());
}
