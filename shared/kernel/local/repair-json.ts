/**
 * Reads JSON as small models write it: in a fence, with a comma too many, single quotes, real line breaks inside
 * strings, or the closing brackets forgotten. Undefined when that does not make it an object.
 */
export function readNearJson(text: string): Record<string, unknown> | undefined {
  const begun = text.indexOf('{');
  if (begun < 0) return undefined;
  const body = text.slice(begun);
  return parsed(body) ?? parsed(mended(body)) ?? parsed(mended(doubleQuoted(body)));
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The first object of a text, with what is missing at its end added and what JSON forbids left out. */
function mended(text: string): string {
  const open: string[] = [];
  let out = '';
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (inString) {
      if (char === '\\') {
        out += char + (text[at + 1] ?? '\\');
        at += 1;
      } else {
        inString = char !== '"';
        out += escaped(char);
      }
      continue;
    }
    if (char === '"') inString = true;
    if (char === '{') open.push('}');
    if (char === '[') open.push(']');
    if (char === '}' || char === ']') {
      out = out.replace(/,\s*$/, '');
      open.pop();
    }
    out += char;
    if (open.length === 0) return out;
  }
  return closedUp(out, inString, open);
}

function closedUp(text: string, inString: boolean, open: string[]): string {
  const ended = inString ? `${text}"` : text.replace(/[,\s]+$/, '').replace(/:$/, ': null');
  return ended + open.reverse().join('');
}

function escaped(char: string): string {
  if (char === '\n') return '\\n';
  if (char === '\r') return '\\r';
  return char === '\t' ? '\\t' : char;
}

/** `{'tool': 'Read'}` as JSON has it; only where no double quote says that single ones are apostrophes. */
function doubleQuoted(text: string): string {
  return text.includes('"') ? text : text.replaceAll("'", '"');
}
