import { copyText } from '../parts/clipboard.ts';

/** How long the button says that it has copied. */
const COPIED_MS = 1_600;

/** Puts each block of code into a frame with its language and a copy button. The nodes are ours, made without HTML. */
export function copyable(fragment: DocumentFragment): void {
  for (const pre of fragment.querySelectorAll('pre')) {
    const frame = element('div', 'code-frame');
    const head = element('div', 'code-head');
    const language = element('span', 'code-language');
    language.textContent = pre.dataset.language || 'text';
    head.append(language, copyButton(pre));
    pre.replaceWith(frame);
    pre.tabIndex = 0;
    frame.append(head, pre);
  }
  for (const table of fragment.querySelectorAll('table')) {
    const scroller = element('div', 'table-frame');
    table.replaceWith(scroller);
    scroller.append(table);
  }
}

function copyButton(pre: HTMLPreElement): HTMLButtonElement {
  const button = element('button', 'button quiet');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    say(button, (await copyText(pre.textContent ?? '')) ? 'Copied' : 'Not allowed');
  });
  return button;
}

function say(button: HTMLButtonElement, words: string): void {
  button.textContent = words;
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_MS);
}

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}
