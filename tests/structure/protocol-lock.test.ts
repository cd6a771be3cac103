import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import { canonicalJson, canonicalProtocol } from '../../shared/syscalls/canonical.ts';
import { readText } from '../support/sources.ts';

const advice =
  'The protocol changed. Raise PROTOCOL_VERSION in shared/protocol/version.ts and run `node scripts/lock.mjs`; ' +
  'if no program with this version has left this checkout, `node scripts/lock.mjs --unreleased` is enough.';

test('[W33] a changed schema needs a new protocol version', () => {
  const pinned = JSON.parse(readText('shared/protocol/lock.json')) as { version: number; hash: string };
  const hash = createHash('sha256').update(canonicalProtocol()).digest('hex');
  expect(pinned, advice).toEqual({ version: PROTOCOL_VERSION, hash });
});

test('[W33] the locked text is the same whatever the order of keys and the words for people', () => {
  const one = { b: [1, { d: 'x', c: null }], a: { type: 'string', description: 'old words' } };
  const other = { a: { description: 'new words', type: 'string' }, b: [1, { c: null, d: 'x' }] };
  expect(canonicalJson(one)).toBe('{"a":{"type":"string"},"b":[1,{"c":null,"d":"x"}]}');
  expect(canonicalJson(other)).toBe(canonicalJson(one));
});

test('[W33] a field that is called description is locked like any other', () => {
  const schema = { properties: { description: { type: 'string' } } };
  expect(canonicalJson(schema)).toBe('{"properties":{"description":{"type":"string"}}}');
});

test('[W33] the locked text holds what the wire depends on', () => {
  const text = canonicalProtocol();
  for (const part of [
    '"RequestFrame"',
    '"sys.connect"',
    '"routable":true',
    '"audience":"kernel"',
    '"maxLength":4096',
  ]) {
    expect(text).toContain(part);
  }
});
