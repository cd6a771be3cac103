import type { Static, TSchema } from 'typebox';

type Check = (value: unknown) => boolean;
/** Prepares a keyword's check; values that the keyword does not speak of pass. Undefined: not in this form. */
type Keyword = (given: unknown, schema: Record<string, unknown>) => Check | undefined;

const prepared = new WeakMap<object, Check>();

/**
 * Whether a value is what its schema says. The answer is that of typebox's `Value.Check`, which reads the schema anew
 * each time, makes a regular expression for every strict object, and would be half of what the page loads; its
 * compiler makes code from text, which the page's policy forbids. Here a schema is prepared once. Throws for a schema
 * that says what `keywords` does not know: nothing passes because it was not understood.
 */
export function matches<Schema extends TSchema>(schema: Schema, value: unknown): value is Static<Schema> {
  return checkOf(schema)(value);
}

function checkOf(schema: unknown): Check {
  if (typeof schema !== 'object' || schema === null) return () => schema !== false;
  const known = prepared.get(schema);
  if (known) return known;
  const check = prepare(schema as Record<string, unknown>);
  prepared.set(schema, check);
  return check;
}

function prepare(schema: Record<string, unknown>): Check {
  const names = Object.keys(schema).filter((name) => !ANNOTATIONS.has(name));
  if ('~refine' in schema) throw new TypeError('A refinement cannot be checked');
  const checks = names.map((name) => prepareKeyword(name, schema));
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

function prepareKeyword(name: string, schema: Record<string, unknown>): Check {
  const check = keywords[name]?.(schema[name], schema);
  if (!check) throw new TypeError(`The schema's “${name}” cannot be checked`);
  return check;
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);

const keywords: Record<string, Keyword> = {
  type: (given) => types[String(given)],
  const: (given) => (isPlain(given) ? (value) => value === given : undefined),
  enum: (given) => oneOf(given as unknown[]),
  anyOf: (given) => anyOf((given as unknown[]).map(checkOf)),
  required: (given) => required(given as string[]),
  properties: (given, schema) => properties(given as Record<string, unknown>, schema.required),
  patternProperties: (given) => patternProperties(given as Record<string, unknown>),
  additionalProperties: (given, schema) => {
    if (given === true) return () => true;
    return given === false ? onlyListed(schema) : undefined;
  },
  items: (given) => (Array.isArray(given) ? undefined : items(checkOf(given))),
  minItems: (given) => (value) => !Array.isArray(value) || value.length >= Number(given),
  maxItems: (given) => (value) => !Array.isArray(value) || value.length <= Number(given),
  minimum: (given) => (value) => typeof value !== 'number' || value >= Number(given),
  maximum: (given) => (value) => typeof value !== 'number' || value <= Number(given),
  exclusiveMinimum: (given) => (value) => typeof value !== 'number' || value > Number(given),
  exclusiveMaximum: (given) => (value) => typeof value !== 'number' || value < Number(given),
  minLength: (given) => (value) => typeof value !== 'string' || !isShorter(value, Number(given)),
  maxLength: (given) => (value) => typeof value !== 'string' || isShorter(value, Number(given) + 1),
  pattern: (given) => pattern(new RegExp(given as string | RegExp, 'u')),
};

const types: Record<string, Check> = {
  object: isObject,
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  number: (value) => Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that `===` compares. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function oneOf(values: unknown[]): Check | undefined {
  if (!values.every(isPlain)) return undefined;
  return (value) => values.includes(value);
}

function anyOf(checks: Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

function required(keys: string[]): Check {
  return (value) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key));
}

/** An optional field that is there and undefined counts as left out. */
function properties(fields: Record<string, unknown>, demanded: unknown): Check {
  const always = new Set(Array.isArray(demanded) ? demanded : []);
  const checks = Object.entries(fields).map(([key, schema]) => {
    return { key, check: checkOf(schema), optional: !always.has(key) };
  });
  return (value) => {
    if (!isObject(value)) return true;
    for (const { key, check, optional } of checks) {
      const field = value[key];
      if (field === undefined && (optional || !Object.hasOwn(value, key))) continue;
      if (!check(field)) return false;
    }
    return true;
  };
}

function patternProperties(fields: Record<string, unknown>): Check {
  const checks = Object.entries(fields).map(([form, schema]) => ({
    form: new RegExp(form, 'u'),
    check: checkOf(schema),
  }));
  return (value) => {
    if (!isObject(value)) return true;
    const entries = Object.entries(value);
    return checks.every(({ form, check }) =>
      entries.every(([key, field]) => !form.test(key) || check(field)),
    );
  };
}

function onlyListed({
  properties: fields = {},
  patternProperties: forms = {},
}: Record<string, unknown>): Check {
  const keys = new Set(Object.keys(fields as object));
  const patterns = Object.keys(forms as object).map((form) => new RegExp(form, 'u'));
  const isListed = (key: string): boolean => keys.has(key) || patterns.some((form) => form.test(key));
  return (value) => !isObject(value) || Object.getOwnPropertyNames(value).every(isListed);
}

function items(check: Check): Check {
  return (value) => !Array.isArray(value) || value.every(check);
}

function pattern(form: RegExp): Check {
  return (value) => typeof value !== 'string' || form.test(value);
}

/** Lengths count characters, of which one takes one or two code units: they are counted only where that decides. */
function isShorter(text: string, length: number): boolean {
  if (text.length < length) return true;
  if (text.length >= length * 2) return false;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters < length;
}
