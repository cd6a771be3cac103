import { describe, expect, test } from 'vitest';
import type { HilRow } from '../../../shared/state/conversation.ts';
import { approvalWords, rememberedWords, tagWords } from './approval-words.ts';
import { deviceState, deviceWords } from './devices.ts';
import { claimOutcome } from './joining.ts';
import { groupProcesses, type LiveProcess, processActivity, processTitle } from './processes.ts';
import { type Status, syncWords } from './status.ts';

const request = (extra: Partial<HilRow>): HilRow => ({
  requestId: 'q',
  runId: 'r',
  callId: 'c',
  toolName: 'Shell',
  syscall: 'shell.exec',
  args: { input: 'rm -r x' },
  createdAt: 0,
  target: 'nas',
  tags: [],
  commands: ['rm -r x'],
  remember: [],
  ...extra,
});

describe('approvals in words', () => {
  test('[U13] an approval shows the parsed commands, the target, and what would be remembered', () => {
    expect(approvalWords(request({ remember: ['rm', '-r'] }))).toEqual({
      question: 'Approve this command?',
      lines: ['rm -r x'],
      parts: [],
      target: 'nas',
      remember: 'rm -r …',
    });
    expect(approvalWords(request({})).remember).toBeNull();
    const write = request({ toolName: 'Write', syscall: 'fs.write', args: { path: '/etc/x' }, commands: [] });
    expect(approvalWords(write)).toMatchObject({ question: 'Approve this step?', lines: ['Write /etc/x'] });
  });

  test('[U13] a script shows every line of it, and the commands that were found in it', () => {
    const script = request({ args: { input: 'cd x\nrm a && rm b\n' }, commands: ['cd x', 'rm a', 'rm b'] });
    expect(approvalWords(script)).toMatchObject({
      lines: ['cd x', 'rm a && rm b'],
      parts: ['cd x', 'rm a', 'rm b'],
    });
  });

  test('[U13] a command cannot draw itself in another order', () => {
    expect(approvalWords(request({ args: { input: 'rm \u202Eslaer' } })).lines).toEqual(['rm ⟦U+202E⟧slaer']);
  });

  test('[U14] tags are in words of a person', () => {
    expect(tagWords(['destructive', 'mutating', 'outside-cwd'])).toEqual([
      'deletes',
      'outside the working folder',
    ]);
    expect(tagWords(['privileged', 'network', 'mutating', 'unclassified'])).toEqual([
      'as administrator',
      'uses the network',
      'changes things',
      'not recognised',
    ]);
    expect(tagWords(['brand-new'])).toEqual(['brand new']);
  });

  test('[U350] of a full path on a device nobody claims that it lies outside', () => {
    expect(tagWords(['destructive', 'outside-cwd', 'outside-home', 'remote'])).toEqual([
      'deletes',
      'may be outside the working folder',
    ]);
  });

  test('[U351] what is remembered says what is done to a file, and how a command begins', () => {
    const kept = (syscall: string, ...words: string[]) => rememberedWords({ syscall, words });
    expect(kept('shell.exec', 'git', 'push')).toBe('git push …');
    expect(kept('shell.exec', 'rm -r ./cache/', 'in /workspace')).toBe(
      'rm -r ./cache/ … in the working folder',
    );
    expect(kept('shell.exec', 'rm x', 'in /home/ada')).toBe('rm x … in /home/ada');
    expect(kept('fs.delete', 'notes.txt')).toBe('Delete notes.txt');
    expect(kept('fs.new', '/x')).toBe('fs.new /x');
  });
});

const status = (link: Status['link'], waiting = 0, extra: Partial<Status> = {}): Status => ({
  version: '1',
  setupMode: false,
  username: 'sam',
  link,
  linkReason: null,
  linkSince: null,
  waiting,
  replicaId: 'r-here',
  locked: false,
  ...extra,
});

test('[U355] a claim link is said to have worked when the server has let the browser in, or why it has not', () => {
  expect(claimOutcome(undefined)).toBeNull();
  expect(claimOutcome({ link: 'connecting', linkReason: null })).toBeNull();
  expect(claimOutcome({ link: 'online', linkReason: null })?.tone).toBe('good');
  expect(claimOutcome({ link: 'refused', linkReason: 'Its claim link is used up' })).toEqual({
    tone: 'bad',
    text: 'The server did not accept this claim link. Its claim link is used up. GSV works on its own here.',
  });
});

describe('the link in words', () => {
  const now = Date.parse('2026-03-12T14:30');
  const words = (...given: Parameters<typeof status>) => syncWords(status(...given), now);

  test('[U15] it says synced only when the server has everything', () => {
    expect(words('online').text).toBe('Synced');
    expect(words('online', 1).text).toBe('1 change waiting');
    expect(words('online', 4)).toMatchObject({ text: '4 changes waiting', tone: 'busy' });
    expect(words('alone').text).toBe('Only on this device');
    expect(syncWords(undefined, now).text).toBe('Starting');
  });

  test('[U251] online with a server that does not take changes, it says why and that they are safe', () => {
    const linkReason = 'The server cannot store changes: “a” in rows is too long';
    const said = words('online', 2, { linkReason });
    expect(said).toMatchObject({ text: '2 changes waiting', tone: 'bad' });
    expect(said.detail).toBe(
      'The server cannot store changes: “a” in rows is too long. What waits is safe here, and is tried again.',
    );
  });

  test('[U15] offline it says since when, what is kept, and that asking again may help', () => {
    const linkSince = Date.parse('2026-03-12T14:05');
    expect(words('offline', 4, { linkSince })).toMatchObject({
      text: 'Offline since 14:05',
      tone: 'bad',
      again: true,
    });
    expect(words('offline', 4, { linkSince }).detail).toContain('4 changes waiting');
    expect(words('offline', 0, { linkSince: now - 3 * 86_400_000 }).text).toMatch(
      /^Offline since \w{3} 14:30$/,
    );
    expect(words('offline').text).toBe('Offline');
    expect(words('offline', 0, { linkReason: 'The server cannot be reached' }).detail).toMatch(
      /^The server cannot be reached\. (?!The server cannot)/,
    );
  });

  test('[U15] a refusal is said with its reason, and a browser that was shut out with nothing else', () => {
    expect(words('refused', 0, { linkReason: 'Unknown token' })).toMatchObject({
      text: 'This server refused: Unknown token',
      again: true,
    });
    expect(words('refused', 0, { locked: true }).text).toBe('Shut out');
  });
});

describe('devices in words', () => {
  test('[U16] a device is online, offline, revoked, or has never connected', () => {
    const row = { revoked: false, online: false, connectedAt: null, disconnectedAt: null };
    expect(deviceState(row)).toBe('never connected');
    expect(deviceState({ ...row, connectedAt: 1, disconnectedAt: 2 })).toBe('offline');
    expect(deviceState({ ...row, connectedAt: 1, online: true })).toBe('online');
    expect(deviceState({ ...row, connectedAt: 1, online: true, revoked: true })).toBe('revoked');
  });

  test('[U337] while the server is away nothing is said of whether a device is there now', () => {
    const now = Date.parse('2026-11-22T17:40:00');
    const at = (clock: string): number => Date.parse(`2026-11-22T${clock}:00`);
    const row = {
      revoked: false,
      online: false,
      connectedAt: at('17:26'),
      lastSeenAt: at('17:26'),
      disconnectedAt: at('17:37'),
    };
    expect(deviceWords(row, false, now)).toBe('not known while offline');
    expect(deviceWords(row, true, now)).toBe('offline, last seen 17:37');
    expect(deviceWords({ ...row, online: true }, true, now)).toBe('online since 17:26');
    expect(deviceWords({ ...row, revoked: true }, false, now)).toMatch(/^revoked/);
  });
});

describe('processes in words', () => {
  const row = (pid: string, state: LiveProcess['state']) => ({ pid, state }) as LiveProcess;

  test('[U17] the rail groups what runs, what waits and what rests, without empty groups', () => {
    const groups = groupProcesses([
      row('a', 'idle'),
      row('b', 'waiting'),
      row('c', 'running'),
      row('d', 'error'),
    ]);
    expect(groups.map(({ title, processes }) => [title, processes.map(({ pid }) => pid)])).toEqual([
      ['Running', ['c']],
      ['Waiting for you', ['b']],
      ['Recent', ['a', 'd']],
    ]);
    expect(groupProcesses([row('a', 'idle')]).map(({ title }) => title)).toEqual(['Recent']);
  });

  test('[U17] a process is called by its label, and says what it does', () => {
    expect(processTitle({ label: 'Receipts', profile: 'task', pid: 'task:1' })).toBe('Receipts');
    expect(processTitle({ label: null, profile: 'init', pid: 'init:1000' })).toBe('Home');
    expect(processTitle({ label: ' ', profile: 'task', pid: 'task:abcdef123' })).toBe('Task abcdef');
    expect(processActivity({ state: 'idle', activity: null, queuedCount: 0 })).toBe('idle');
    expect(processActivity({ state: 'running', activity: 'reading', queuedCount: 2 })).toBe(
      'reading · 2 queued',
    );
  });
});
