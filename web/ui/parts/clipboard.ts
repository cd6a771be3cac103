/** Copies a text. Resolves to false where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    // Missing on pages that came without TLS from another machine.
    if (navigator.clipboard === undefined) return copyBySelection(text);
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const holder = document.createElement('textarea');
  holder.value = text;
  holder.className = 'visually-hidden';
  // Inside of an open dialog, or it could not take the focus.
  (document.querySelector('dialog[open]') ?? document.body).append(holder);
  holder.select();
  const copied = document.execCommand('copy');
  holder.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}
