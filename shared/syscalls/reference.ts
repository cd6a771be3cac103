import type { Syscall } from './declare.ts';

/** A JSON Schema, as far as the table uses it. */
type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
};

/** A type longer than this is written over several lines. */
const LINE = 90;

const audiences: Record<Syscall['audience'], string> = {
  anyone: 'anyone, before and after `sys.connect`',
  user: 'any identity with the capability',
  person: 'any identity with the capability that is not an agent’s',
  process: 'the kernel’s own agents',
  kernel: 'the kernel itself',
  tab: 'a page of this browser',
  room: 'whoever has signed in at the room, and answered there alone',
};

/** The reference page of a syscall table, as Markdown: a section per domain, an entry per syscall. */
export function renderReference(table: Record<string, Syscall>): string {
  const domains = new Map<string, string[]>();
  for (const [name, syscall] of Object.entries(table)) {
    const domain = name.slice(0, name.indexOf('.'));
    domains.set(domain, [...(domains.get(domain) ?? []), renderSyscall(name, syscall)]);
  }
  const sections = [...domains].map(([domain, entries]) => `## ${domain}\n\n${entries.join('\n')}`);
  return `# Syscalls\n\n${preface}\n\n${sections.join('\n')}`;
}

const preface = `Generated from \`shared/syscalls/table.ts\` by \`npm run docs\`. Fields that are not listed are refused with 400. A routable
call runs on the device that \`target\` names. The errors of routing and authority are those of every call: 400, 401, 403, 404, 503, 504.`;

function renderSyscall(name: string, syscall: Syscall): string {
  const code = `args   ${renderType(syscall.args as Schema, '')}\nresult ${renderType(syscall.result as Schema, '')}`;
  return `### ${name}\n\n${syscall.doc}\n\n${facts(syscall).join(' · ')}\n\n\`\`\`ts\n${code}\n\`\`\`\n`;
}

function facts(syscall: Syscall): string[] {
  return [
    `For ${audiences[syscall.audience]}`,
    ...(syscall.under ? [`under the capability \`${syscall.under}\``] : []),
    syscall.effect === 'write' ? 'writes' : 'reads',
    ...(syscall.routable ? ['routable'] : []),
    ...(syscall.bytes === 'in' ? ['bytes accompany the call'] : []),
    ...(syscall.bytes === 'out' ? ['bytes accompany the answer'] : []),
    ...(syscall.tool ? [`the model’s tool \`${syscall.tool.name}\``] : []),
  ];
}

/** A schema as a TypeScript type. Lines after the first begin with `indent`. */
export function renderType(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return renderUnion(schema.anyOf, indent);
  if (schema.type === 'array') return renderArray(schema.items ?? {}, indent);
  if (schema.type === 'object') return renderObject(schema, indent);
  if (schema.type === 'integer') return 'number';
  return schema.type ?? 'unknown';
}

function renderUnion(members: Schema[], indent: string): string {
  const inline = members.map((member) => renderType(member, indent)).join(' | ');
  if (fits(inline)) return inline;
  const lines = members.map((member) => `\n${indent}  | ${renderType(member, `${indent}    `)}`);
  return lines.join('');
}

function renderArray(items: Schema, indent: string): string {
  const inner = renderType(items, indent);
  return inner.includes(' | ') && !inner.startsWith('{') ? `(${inner})[]` : `${inner}[]`;
}

function renderObject(schema: Schema, indent: string): string {
  const [values] = Object.values(schema.patternProperties ?? {});
  if (values) return `Record<string, ${renderType(values, indent)}>`;
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '{}';
  const field = ([key, inner]: [string, Schema], at: string): string =>
    `${key}${schema.required?.includes(key) ? '' : '?'}: ${renderType(inner, at)}`.replace(': \n', ':\n');
  const inline = `{ ${fields.map((entry) => field(entry, indent)).join('; ')} }`;
  if (fits(inline)) return inline;
  return `{\n${fields.map((entry) => `${indent}  ${field(entry, `${indent}  `)};\n`).join('')}${indent}}`;
}

function fits(text: string): boolean {
  return text.length <= LINE && !text.includes('\n');
}
