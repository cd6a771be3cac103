import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { accountProblems } from './account.ts';
import { connectLine, deviceIdProblem } from './invitation.ts';
import { noSettings, settingsProblems } from './model-settings.ts';

describe('the new account', () => {
  const account = {
    username: 'sam',
    password: 'correct horse',
    repeated: 'correct horse',
    rootPassword: '',
    timezone: 'UTC',
  };

  test('[U18] what is wrong is said at its field, before anything is sent', () => {
    expect(accountProblems(account)).toEqual({});
    expect(Object.keys(accountProblems({ ...account, username: 'Sam' }))).toEqual(['username']);
    expect(Object.keys(accountProblems({ ...account, username: 'root' }))).toEqual(['username']);
    expect(Object.keys(accountProblems({ ...account, password: 'short', repeated: 'short' }))).toEqual([
      'password',
    ]);
    expect(Object.keys(accountProblems({ ...account, repeated: 'other' }))).toEqual(['repeated']);
    expect(Object.keys(accountProblems({ ...account, rootPassword: 'short' }))).toEqual(['rootPassword']);
  });
});

describe('the model settings', () => {
  const settings = { ...noSettings, provider: 'openai', model: 'gpt-5' };

  test('[U19] an address is asked for only where the provider needs one, limits are numbers', () => {
    expect(settingsProblems(settings)).toEqual({});
    expect(Object.keys(settingsProblems({ ...settings, provider: 'openai-compatible' }))).toEqual([
      'baseUrl',
    ]);
    expect(
      Object.keys(settingsProblems({ ...settings, provider: 'openai-compatible', baseUrl: 'javascript:1' })),
    ).toEqual(['baseUrl']);
    expect(
      settingsProblems({ ...settings, provider: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' }),
    ).toEqual({});
    expect(
      Object.keys(settingsProblems({ ...settings, maxTurns: '2.5', maxCost: '-1', maxTokens: 'x' })).sort(),
    ).toEqual(['maxCost', 'maxTokens', 'maxTurns']);
  });
});

describe('the line for a device', () => {
  test('[U20] a name is what the kernel accepts as a device id', () => {
    expect(deviceIdProblem('build-box.2')).toBeNull();
    for (const bad of ['', 'gsv', 'Laptop', '-x', 'a b', 'a'.repeat(64), "x';rm"])
      expect(deviceIdProblem(bad)).not.toBeNull();
  });

  test('[U21] the token reaches a file of mode 600 through a builtin, never the arguments of a program', () => {
    const line = connectLine('https://gsv.example', 'laptop', 'gsv_node_secret');
    const programs = line.split(' && ').filter((step) => !step.startsWith('(umask 077; printf'));
    expect(programs.some((step) => step.includes('gsv_node_secret'))).toBe(false);
    expect(line).toContain('--token-file gsv.token --id laptop');
    const script = `cd "$(mktemp -d)"; curl() { :; }; node() { :; }; ${line}; stat -c %a gsv.token; cat gsv.token`;
    expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('600\ngsv_node_secret');
  });
});
