/**
 * Text that decides what a person sees of a command, a path or a device must not be able to draw itself in another
 * order than it runs, or to hide a part (bidirectional and invisible characters).
 */
// Bidirectional marks, embeddings, overrides and isolates; zero-width and other invisible characters; tags.
const hidden =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const overrides = /[\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;
// Control characters that are not tab, line feed or carriage return.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences begin with one
const terminal = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

const named = (character: string): string =>
  `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;

/** For commands, code, paths and names: every character that could deceive is shown by its number. */
export function showHidden(text: string): string {
  return text.replace(hidden, named).replace(controls, named);
}

/** For prose: characters that reorder what follows are shown; the marks that honest right-to-left text needs stay. */
export function tameProse(text: string): string {
  return text.replace(overrides, named);
}

/** What a terminal would show in the end: without colours, with the last state of lines that were written over. */
export function terminalText(output: string): string {
  const plain = output.replace(terminal, '').replace(/\r+\n/g, '\n');
  return showHidden(plain.split('\n').map(lastState).join('\n'));
}

function lastState(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  return states.at(-1) ?? '';
}
