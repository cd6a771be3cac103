import { describe, expect, test } from 'vitest';
import { failureOf } from './parts/notices.ts';
import { chatPath, claimSecret, inviteLink, inviteSecret, parseRoute, schedulePath } from './route.ts';

describe('addresses of the page', () => {
  test('[U25] every address leads somewhere, and a process keeps its own', () => {
    expect(parseRoute('/')).toEqual({ view: 'chat', pid: null });
    expect(parseRoute(chatPath('init:1000'))).toEqual({ view: 'chat', pid: 'init:1000' });
    expect(parseRoute(chatPath('pkg#a/b'))).toEqual({ view: 'chat', pid: 'pkg#a/b' });
    expect(parseRoute('/schedules')).toEqual({ view: 'schedules' });
    expect(parseRoute(schedulePath('a/1'))).toEqual({ view: 'schedules', id: 'a/1' });
    expect(parseRoute('/settings/tokens')).toEqual({ view: 'settings', section: 'tokens' });
    expect(parseRoute('/settings/nowhere')).toEqual({ view: 'settings', section: 'model' });
    expect(parseRoute('/chat/%E0%A4%A')).toEqual({ view: 'chat', pid: '%E0%A4%A' });
    expect(parseRoute('/nowhere/at/all')).toEqual({ view: 'chat', pid: null });
  });

  test('[U26] the secret of a claim link is read from the fragment alone', () => {
    expect(claimSecret('#claim=abc-123')).toBe('abc-123');
    expect(claimSecret('#claim=')).toBeNull();
    expect(claimSecret('#main')).toBeNull();
    expect(claimSecret('')).toBeNull();
  });

  test('[U84] an invitation stands in the fragment, and no claim is taken for one', () => {
    const link = new URL(inviteLink('https://gsv.example', 'gsv_join_abc-_9'));
    expect([link.pathname, link.search, inviteSecret(link.hash)]).toEqual(['/', '', 'gsv_join_abc-_9']);
    expect(claimSecret(link.hash)).toBeNull();
    expect(inviteSecret('#claim=abc')).toBeNull();
    expect(inviteSecret('#invite=')).toBeNull();
  });

  test('[U27] an answer that says no counts as a failure, with its words', () => {
    expect(failureOf({ ok: false, error: 'No such process' })).toBe('No such process');
    expect(failureOf({ ok: true })).toBeNull();
    expect(failureOf({ removed: false })).toBeNull();
  });
});
