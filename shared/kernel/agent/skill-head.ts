/** The head of a SKILL.md between its `---` lines, and the text after it. */
export type SkillHead = { fields: Record<string, string>; body: string };

const HEAD = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const FIELD = /^([A-Za-z][\w-]*):[ \t]*(.*)$/;

/** Reads `key: value` lines, values in quotes, and values that go on (`>`, `|`) on indented lines. Never throws. */
export function readSkillHead(text: string): SkillHead {
  const head = HEAD.exec(text);
  if (!head) return { fields: {}, body: text };
  const fields: Record<string, string> = {};
  let key: string | undefined;
  for (const line of (head[1] ?? '').split(/\r?\n/)) {
    const field = FIELD.exec(line);
    if (field) {
      key = field[1] ?? '';
      fields[key] = scalar(field[2] ?? '');
    } else if (key !== undefined && /^\s+\S/.test(line))
      fields[key] = `${fields[key] ?? ''} ${line.trim()}`.trim();
  }
  return { fields, body: text.slice(head[0].length) };
}

function scalar(raw: string): string {
  const value = raw.trim();
  if (/^[>|][-+]?$/.test(value)) return '';
  const quoted = /^(["'])(.*)\1$/.exec(value);
  return quoted ? (quoted[2] ?? '') : value;
}
