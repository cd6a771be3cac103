export type Replacement = { ok: true; text: string; replacements: number } | { ok: false; error: string };

/**
 * Replaces exact text, as `fs.edit` does. Refused with a sentence for the model: an empty or missing
 * `oldString`, one equal to `newString`, and several matches without `replaceAll`.
 */
export function replaceText(
  text: string,
  oldString: string,
  newString: string,
  replaceAll = false,
): Replacement {
  if (oldString === '') return refused('oldString is empty: give the exact text to replace');
  if (oldString === newString) return refused('oldString and newString are equal: nothing would change');
  const parts = text.split(oldString);
  const found = parts.length - 1;
  if (found === 0) return refused(notFound(text, oldString));
  if (found > 1 && !replaceAll) {
    return refused(
      `oldString was found ${found} times: give more of the text around it, or set replaceAll to change all`,
    );
  }
  return { ok: true, text: parts.join(newString), replacements: found };
}

function notFound(text: string, oldString: string): string {
  const said = 'oldString was not found: it must match the file exactly, spaces and line breaks included';
  const inCrlf = text.includes('\r\n') && text.replaceAll('\r\n', '\n').includes(oldString);
  return inCrlf ? `${said} (this file ends its lines with \\r\\n)` : said;
}

function refused(error: string): Replacement {
  return { ok: false, error };
}
