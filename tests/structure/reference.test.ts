import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { declare, nullable, optional, record } from '../../shared/syscalls/declare.ts';
import { renderReference } from '../../shared/syscalls/reference.ts';
import { table } from '../../shared/syscalls/table.ts';
import { readText } from '../support/sources.ts';

test('[W34] docs/syscalls.md is what the table generates', () => {
  expect(readText('docs/syscalls.md') === renderReference(table), 'run `npm run docs`').toBe(true);
});

test('[W34] the reference says of a syscall what the table says', () => {
  const page = renderReference({
    'a.b': declare({
      doc: 'Does b.',
      args: record({
        n: Type.Integer(),
        s: optional(nullable(Type.String())),
        list: Type.Array(Type.Enum(['x', 'y'])),
      }),
      result: Type.Union([
        record({ ok: Type.Literal(true), map: Type.Record(Type.String(), Type.Unknown()) }),
        record({}),
      ]),
      audience: 'user',
      effect: 'write',
      routable: true,
      bytes: 'in',
      tool: { name: 'B', description: 'b' },
    }),
  });
  expect(page).toContain('### a.b\n\nDoes b.\n\n');
  expect(page).toContain('writes · routable · bytes accompany the call · the model’s tool `B`');
  expect(page).toContain('args   { n: number; s?: string | null; list: ("x" | "y")[] }\n');
  expect(page).toContain('result { ok: true; map: Record<string, unknown> } | {}\n');
});
