import { describe, expect, test } from 'vitest';
import type { ApprovalRow } from '../../state/system.ts';
import {
  allowedByRemembered,
  type CallFacts,
  decide,
  defaultPolicy,
  overlayPolicy,
  type Policy,
  type PolicyRule,
  parsePolicy,
} from './approval-policy.ts';

function call(changes: Partial<CallFacts> = {}): CallFacts {
  return {
    syscall: 'shell.exec',
    args: {},
    target: 'gsv',
    tags: [],
    profile: 'init',
    words: null,
    ...changes,
  };
}

function policy(rules: PolicyRule[], fallback: Policy['default'] = 'auto'): Policy {
  return { default: fallback, rules };
}

describe('reading a policy', () => {
  test('[A1] no policy is the default policy, and no problem', () => {
    expect(parsePolicy(undefined)).toEqual({ policy: defaultPolicy });
    expect(parsePolicy('  ')).toEqual({ policy: defaultPolicy });
  });

  test('[A1] a policy that is well formed is used', () => {
    const written: Policy = {
      default: 'ask',
      rules: [
        {
          match: 'fs.*',
          when: {
            anyTag: ['mutating'],
            allTags: [],
            argEquals: { n: 1 },
            argPrefix: { path: '/tmp' },
            target: 'device',
          },
          action: 'deny',
        },
        { match: '*', when: { profile: 'cron', anyProfile: ['cron', 'app'] }, action: 'auto' },
      ],
    };
    expect(parsePolicy(JSON.stringify(written))).toEqual({ policy: written });
  });

  test.each([
    ['not JSON', '{"default":', 'it is not JSON'],
    ['null', 'null', '/ '],
    ['an unknown action', '{"default":"allow","rules":[]}', '/default'],
    ['a missing part', '{"default":"auto"}', '/ '],
    ['an unknown field', '{"default":"auto","rules":[],"extra":1}', '/'],
    [
      'an unknown condition',
      '{"default":"auto","rules":[{"match":"*","when":{"tag":"x"},"action":"auto"}]}',
      '/rules/0/when',
    ],
    [
      'a pattern that matches nothing',
      '{"default":"auto","rules":[{"match":"fs*","action":"auto"}]}',
      '/rules/0/match',
    ],
    [
      'an empty prefix',
      '{"default":"auto","rules":[{"match":"*","when":{"argPrefix":{"path":""}},"action":"auto"}]}',
      '/rules/0',
    ],
  ])('[A2] %s is replaced by the default policy, with the reason', (_, json, where) => {
    const parsed = parsePolicy(json);
    expect(parsed.policy).toBe(defaultPolicy);
    expect(parsed.problem).toContain(where);
    expect(parsed.problem).toContain('The default policy applies.');
  });
});

describe('which rule decides', () => {
  test('[A3] exact beats a domain, a domain beats everything, whatever the order', () => {
    const rules: PolicyRule[] = [
      { match: '*', action: 'deny' },
      { match: 'fs.*', action: 'ask' },
      { match: 'fs.read', action: 'auto' },
    ];
    for (const ordered of [rules, [...rules].reverse()]) {
      const actions = ['fs.read', 'fs.write', 'shell.exec'].map(
        (syscall) => decide(policy(ordered), call({ syscall })).action,
      );
      expect(actions).toEqual(['auto', 'ask', 'deny']);
    }
  });

  test('[A3] among equals the first match wins, and its index is told', () => {
    const rules: PolicyRule[] = [
      { match: 'fs.read', when: { target: 'device' }, action: 'deny' },
      { match: 'fs.read', action: 'ask' },
      { match: 'fs.read', action: 'auto' },
    ];
    expect(decide(policy(rules), call({ syscall: 'fs.read' }))).toEqual({ action: 'ask', rule: 1 });
    expect(decide(policy(rules), call({ syscall: 'fs.read', target: 'device' }))).toEqual({
      action: 'deny',
      rule: 0,
    });
  });

  test('[A3] an exact rule whose condition fails leaves the call to the wildcards', () => {
    const rules: PolicyRule[] = [
      { match: 'fs.read', when: { target: 'device' }, action: 'auto' },
      { match: 'fs.*', action: 'ask' },
    ];
    expect(decide(policy(rules), call({ syscall: 'fs.read' }))).toEqual({ action: 'ask', rule: 1 });
  });

  test('[A3] without a match the default decides', () => {
    expect(decide(policy([], 'deny'), call())).toEqual({ action: 'deny', rule: null });
  });

  test('[A3] a domain covers what is below it and nothing that only begins alike', () => {
    const below = policy([{ match: 'fs.*', action: 'deny' }]);
    const deciding = ['fs.read', 'fs.transfer.read', 'fsx.read', 'fs'].map(
      (syscall) => decide(below, call({ syscall })).action,
    );
    expect(deciding).toEqual(['deny', 'deny', 'auto', 'auto']);
  });

  test('[A4] the profile’s rules decide before the account’s, and its default last', () => {
    const account = policy(
      [
        { match: 'shell.exec', action: 'auto' },
        { match: 'fs.read', action: 'ask' },
      ],
      'ask',
    );
    const both = overlayPolicy(account, policy([{ match: 'shell.*', action: 'deny' }], 'deny'));
    expect(decide(both, call())).toEqual({ action: 'deny', rule: 0 });
    expect(decide(both, call({ syscall: 'fs.read' }))).toEqual({ action: 'ask', rule: 2 });
    expect(decide(both, call({ syscall: 'fs.write' }))).toEqual({ action: 'deny', rule: null });
    expect(overlayPolicy(account, undefined)).toBe(account);
  });
});

describe('conditions', () => {
  const cases: [
    name: string,
    when: NonNullable<PolicyRule['when']>,
    match: Partial<CallFacts>,
    other: Partial<CallFacts>,
  ][] = [
    ['anyTag', { anyTag: ['a', 'b'] }, { tags: ['b'] }, { tags: ['c'] }],
    ['allTags', { allTags: ['a', 'b'] }, { tags: ['b', 'a', 'c'] }, { tags: ['a'] }],
    [
      'argEquals',
      { argEquals: { replaceAll: true } },
      { args: { replaceAll: true } },
      { args: { replaceAll: 'true' } },
    ],
    [
      'argPrefix',
      { argPrefix: { query: 'pass' } },
      { args: { query: 'password' } },
      { args: { query: 'my pass' } },
    ],
    ['target', { target: 'device' }, { target: 'device' }, { target: 'gsv' }],
    ['profile', { profile: 'cron' }, { profile: 'cron' }, { profile: 'init' }],
    ['anyProfile', { anyProfile: ['cron', 'app'] }, { profile: 'app' }, { profile: 'init' }],
    [
      'several at once',
      { target: 'device', profile: 'cron' },
      { target: 'device', profile: 'cron' },
      { target: 'device' },
    ],
  ];
  test.each(cases)('[A5] %s', (_, when, match, other) => {
    const one = policy([{ match: 'shell.exec', when, action: 'deny' }]);
    expect(decide(one, call(match)).action).toBe('deny');
    expect(decide(one, call(other)).action).toBe('auto');
  });

  test('[A5] an argument that is absent, inherited or of another type matches nothing', () => {
    const one = policy([{ match: '*', when: { argPrefix: { toString: 'f' } }, action: 'deny' }]);
    expect(decide(one, call()).action).toBe('auto');
    const two = policy([{ match: '*', when: { argPrefix: { path: '1' } }, action: 'deny' }]);
    expect(decide(two, call({ args: { path: 12 } })).action).toBe('auto');
  });

  test.each([
    ['/home/me/work/a.ts', true],
    ['/home/me/work', true],
    ['/home/me/work/', true],
    ['/home/me/./x/../work//a.ts', true],
    ['/../home/me/work/a', true],
    ['/home/me/work/../secret', false],
    ['/home/me/workshop', false],
    ['home/me/work/a', false],
    ['../home/me/work/a', false],
  ])('[A6] the prefix of a path is a place: %s', (path, inside) => {
    const one = policy([
      { match: 'fs.read', when: { argPrefix: { path: '/home/me/work/' } }, action: 'deny' },
    ]);
    expect(decide(one, call({ syscall: 'fs.read', args: { path } })).action).toBe(inside ? 'deny' : 'auto');
  });

  test('[A7] the beginning of a command line lets only one plain command through', () => {
    const one = policy(
      [{ match: 'shell.exec', when: { argPrefix: { input: 'git ' } }, action: 'auto' }],
      'ask',
    );
    const plain = call({ args: { input: 'git status' }, words: ['git', 'status'] });
    const chained = call({ args: { input: 'git status; rm -rf /' }, words: null });
    expect([decide(one, plain).action, decide(one, chained).action]).toEqual(['auto', 'ask']);
  });

  test('[A7] the beginning of a command line refuses also what comes after it', () => {
    const one = policy([{ match: 'shell.exec', when: { argPrefix: { input: 'rm ' } }, action: 'deny' }]);
    expect(decide(one, call({ args: { input: '  rm -rf x && ls' }, words: null })).action).toBe('deny');
  });
});

describe('the default policy', () => {
  test.each(['destructive', 'privileged', 'network', 'mutating', 'unclassified'])(
    '[A8] asks for a command tagged %s',
    (tag) => {
      expect(decide(defaultPolicy, call({ tags: ['remote', tag] }))).toEqual({ action: 'ask', rule: 0 });
    },
  );

  test('[A8] asks for deletions and MCP calls, and lets the rest run', () => {
    const action = (syscall: string): string =>
      decide(defaultPolicy, call({ syscall, tags: ['remote', 'outside-cwd'] })).action;
    expect(['fs.delete', 'sys.mcp.call'].map(action)).toEqual(['ask', 'ask']);
    expect(['fs.read', 'fs.write', 'fs.edit', 'fs.search', 'shell.exec'].map(action)).toEqual(
      Array(5).fill('auto'),
    );
  });
});

describe('remembered approvals', () => {
  const row: ApprovalRow = {
    approvalId: 'a1',
    uid: 1000,
    syscall: 'shell.exec',
    target: 'device',
    words: ['git', 'push'],
    createdAt: 1,
  };
  const asked = { syscall: 'shell.exec', target: 'device', uid: 1000, pid: 'init:1000' } as const;

  test('[A9] the remembered words must lead the command', () => {
    const allowed = (words: string[] | null): boolean => allowedByRemembered([row], { ...asked, words });
    expect(
      [
        ['git', 'push'],
        ['git', 'push', 'origin', 'main'],
      ].map(allowed),
    ).toEqual([true, true]);
    expect([['git'], ['git', 'pull'], ['git', 'pushx'], ['sudo', 'git', 'push'], []].map(allowed)).toEqual(
      Array(5).fill(false),
    );
  });

  test('[A9] a line that is not exactly one command is never covered', () => {
    expect(allowedByRemembered([row], { ...asked, words: null })).toBe(false);
  });

  test.each([
    ['another syscall', { syscall: 'fs.delete' }],
    ['another class of target', { target: 'gsv' as const }],
    ['another user', { uid: 1001 }],
  ])('[A10] an approval does not cover %s', (_, changes) => {
    expect(allowedByRemembered([row], { ...asked, words: ['git', 'push'], ...changes })).toBe(false);
  });

  test('[A10] an approval that names a process covers that process alone', () => {
    const own = { ...row, pid: 'init:1000' };
    expect(allowedByRemembered([own], { ...asked, words: ['git', 'push'] })).toBe(true);
    expect(allowedByRemembered([own], { ...asked, pid: 'p2', words: ['git', 'push'] })).toBe(false);
  });

  test('[A10] an approval without words covers nothing, and none is no approval', () => {
    expect(allowedByRemembered([{ ...row, words: [] }], { ...asked, words: ['ls'] })).toBe(false);
    expect(allowedByRemembered([], { ...asked, words: ['git', 'push'] })).toBe(false);
  });
});
