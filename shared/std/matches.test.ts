import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { TokenRow } from '../state/control.ts';
import { MessageRow, RunRow } from '../state/conversation.ts';
import { syscallNames, table } from '../syscalls/table.ts';
import { matches } from './matches.ts';

const schemas: [string, TSchema][] = [
  ...syscallNames.flatMap((name): [string, TSchema][] => [
    [`${name} arguments`, table[name].args],
    [`${name} result`, table[name].result],
  ]),
  ['a message', MessageRow],
  ['a run', RunRow],
  ['a token', TokenRow],
];

/** Values near the edges of what schemas say. */
const odd: unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '', 'gsv', '/x'],
  ...['\u{1F600}'.repeat(65), 'x'.repeat(129), 'x'.repeat(5000), [], [null], {}, { ok: true }, { x: 1 }],
  Object.create(null),
];

type Shape = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  patternProperties?: object;
  items?: Shape;
  minimum?: number;
};

/** Values that fit, with every field there is; each alternative of a union comes up. */
function samples(shape: Shape): unknown[] {
  if (shape.anyOf) return shape.anyOf.flatMap(samples);
  if (shape.enum) return shape.enum;
  if ('const' in shape) return [shape.const];
  if (shape.patternProperties) return [{ some: 'x' }];
  if (shape.type === 'array') return samples(shape.items ?? {}).map((item) => [item]);
  if (shape.type === 'object') return objects(Object.entries(shape.properties ?? {}));
  const plain: Record<string, unknown> = { string: 'laptop', boolean: true, null: null };
  return [plain[shape.type ?? ''] ?? shape.minimum ?? 7];
}

function objects(fields: [string, Shape][]): object[] {
  const whole = Object.fromEntries(fields.map(([key, shape]) => [key, samples(shape)[0]]));
  return fields.flatMap(([key, shape]) => samples(shape).map((value) => ({ ...whole, [key]: value })));
}

/** A value with one of its parts, at any depth, replaced or dropped, or with one more field. */
function* neighbours(value: unknown): Generator<unknown> {
  yield* odd;
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { ...value, unlisted: 1 };
  for (const [key, inner] of Object.entries(value)) {
    for (const other of neighbours(inner)) yield replaced(value, key, other);
    if (Array.isArray(value)) continue;
    const { [key]: _dropped, ...rest } = value as Record<string, unknown>;
    yield rest;
  }
}

function replaced(value: object, key: string, inner: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? inner : item));
  return { ...value, [key]: inner };
}

describe('a prepared schema', () => {
  test.each(schemas)('[W60] answers for %s as typebox does', (_, schema) => {
    const whole = samples(schema as Shape);
    const values = [...whole, ...(whole.length > 0 ? neighbours(whole[0]) : odd)];
    expect(values.filter((value) => matches(schema, value) !== Value.Check(schema, value))).toEqual([]);
  });

  test.each([
    ['an optional field left undefined', Type.Object({ a: Type.Optional(Type.String()) }), { a: undefined }],
    ['a required field left undefined', Type.Object({ a: Type.String() }), { a: undefined }],
    ['a record', Type.Record(Type.String(), Type.Integer()), { a: 1, b: 1.5 }],
    ['characters of two code units', Type.String({ minLength: 2 }), '\u{1F600}'],
    ['as many characters as may be', Type.String({ maxLength: 2 }), '\u{1F600}\u{1F600}'],
    ['a number that must be under another', Type.Number({ exclusiveMaximum: 3 }), 3],
    ['a constant', Type.Literal('a'), 'b'],
  ])('[W60] answers for %s as typebox does', (_, schema, value) => {
    expect(matches(schema, value)).toBe(Value.Check(schema, value));
  });
});

test('[W60] what a value inherits is none of its fields', () => {
  expect(matches(Type.Object({ toString: Type.Unknown() }), {})).toBe(false);
});

test.each([
  ['a keyword that is not known', Type.Number({ multipleOf: 3 })],
  ['an object for a constant', Type.Unsafe({ const: { a: 1 } })],
  ['a tuple', Type.Tuple([Type.String(), Type.Number()])],
  ['a refinement', Type.Refine(Type.String(), (text) => text === 'a')],
])('[W61] %s is refused: nothing passes that was not understood', (_, schema) => {
  expect(() => matches(schema, 'x')).toThrow(/cannot be checked/);
});
