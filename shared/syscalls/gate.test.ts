import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../tests/support/example-args.ts';
import { SyscallError } from '../protocol/errors.ts';
import { checkArgs, checkCapability, checkName, checkResult, covers } from './gate.ts';
import { syscallNames, table } from './table.ts';

function refusal(check: () => unknown): SyscallError {
  try {
    check();
  } catch (thrown) {
    if (thrown instanceof SyscallError) return thrown;
  }
  throw new Error('it was not refused');
}

describe('names and arguments', () => {
  test.each(['', 'fs', 'fs.', 'FS.read', 'fs.read ', 'constructor', '__proto__', 'toString', 'fs.stat'])(
    '[W24] %j is no syscall: 404',
    (name) => {
      expect(refusal(() => checkName(name))).toMatchObject({ code: 404 });
    },
  );

  test.each(syscallNames)('[W25] %s refuses an unknown field by its path', (name) => {
    expect(checkName(name)).toBe(name);
    expect(refusal(() => checkArgs(name, { ...exampleOf(name), surprise: 1 }))).toMatchObject({
      code: 400,
      details: { path: '/surprise' },
    });
    expect(refusal(() => checkArgs(name, [])).code).toBe(400);
    expect(refusal(() => checkArgs(name, 'text')).code).toBe(400);
  });

  test.each([
    ['fs.read', {}, '/path'],
    ['fs.read', { path: '' }, '/path'],
    ['fs.read', { path: 'a', offset: -1 }, '/offset'],
    ['fs.read', { path: 'a', limit: 1.5 }, '/limit'],
    ['fs.read', { path: 7 }, '/path'],
    ['fs.read', { path: 'a'.repeat(4097) }, '/path'],
    ['fs.write', { path: 'a' }, '/content'],
    ['proc.send', { message: 7 }, '/message'],
    ['sys.config.set', { key: 'a//b', value: '' }, '/key'],
    ['sys.config.set', { key: 'x', value: 1 }, '/value'],
    ['sys.config.set', { key: '/x', value: '' }, '/key'],
    ['sys.setup', { username: 'Ada', password: 'long enough' }, '/username'],
    ['sys.setup', { username: 'ada', password: 'short' }, '/password'],
    ['sys.setup', { username: 'ada', password: 'long enough', ai: { keys: 1 } }, '/ai/keys'],
    [
      'sys.connect',
      { protocol: 1, client: { id: 'x', version: '', platform: '', role: 'boss' } },
      '/client/role',
    ],
  ] as const)('[W25] %s with %j is refused: %s', (name, args, path) => {
    const error = refusal(() => checkArgs(name, args));
    expect(error.code).toBe(400);
    expect(error.details).toEqual({ path });
    expect(error.message).toContain(name);
  });

  test('[W25] no arguments are no fields', () => {
    expect(checkArgs('proc.list', undefined)).toEqual({});
    expect(checkArgs('fs.read', { path: 'a', target: 'gsv' })).toEqual({ path: 'a', target: 'gsv' });
  });
});

describe('capabilities', () => {
  test.each([
    [['*'], 'sys.setup', true],
    [['fs.*'], 'fs.transfer.read', true],
    [['fs.*'], 'fsx.read', false],
    [['fs.read'], 'fs.read', true],
    [['fs.read'], 'fs.readlink', false],
    [['fs'], 'fs.read', false],
    [['.*'], 'fs.read', false],
    [['shell.*', 'proc.list'], 'proc.list', true],
    [[], 'fs.read', false],
    [['f*'], 'fs.read', false],
  ] as const)('[W26] %j covers %s: %s', (capabilities, call, covered) => {
    expect(covers(capabilities, call)).toBe(covered);
    if (!covered) expect(refusal(() => checkCapability(capabilities, call)).code).toBe(403);
  });
});

describe('results', () => {
  test('[W27] a result of another program that is not what the table says is 502', () => {
    const good = { ok: true, path: 'a', size: 1 };
    expect(checkResult('fs.write', good)).toBe(good);
    for (const bad of [
      undefined,
      null,
      {},
      { ...good, size: -1 },
      { ...good, extra: 1 },
      { ok: false },
      'ok',
    ]) {
      expect(refusal(() => checkResult('fs.write', bad))).toMatchObject({ code: 502 });
    }
  });
});

test('[W28] only fs and shell calls can run elsewhere, and each syscall is described', () => {
  for (const name of syscallNames) {
    const { routable, doc, args } = table[name];
    expect(routable).toBe(/^fs\.|^shell\.exec$/.test(name));
    // A schedule's target says what it does, and is no place.
    const { target } = args.properties as { target?: { type?: string } };
    expect(target?.type === 'string').toBe(routable);
    expect(doc.length).toBeGreaterThan(10);
  }
});
