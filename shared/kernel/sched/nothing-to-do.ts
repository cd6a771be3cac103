/**
 * Whether a file asks for nothing: it is empty, or has headings, comments, empty list items and empty boxes alone. What
 * is in HTML comments, also over several lines, is a comment.
 */
export function asksNothing(text: string): boolean {
  return text
    .replaceAll(/<!--[\s\S]*?(-->|$)/g, '')
    .split('\n')
    .every((line) => /^\s*(#.*|\/\/.*|[-*+]\s*(\[.?\])?|\d+[.)]|={3,}|-{3,}|`{3,}\w*)?\s*$/.test(line));
}
