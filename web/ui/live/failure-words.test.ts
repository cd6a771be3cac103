import { expect, test } from 'vitest';
import type { MessageRow } from '../../../shared/state/conversation.ts';
import { besideSettings, deviceFailure, namesSettings } from './failure-words.ts';
import { answerOf } from './messages.ts';

test('[U336] a failure that is mended in the settings is known, and says “above” where they are', () => {
  const refused = 'provider.test refused the key (401). Check it in Settings.';
  expect(namesSettings(refused)).toBe(true);
  expect(namesSettings('provider.test is limiting requests (429).')).toBe(false);
  expect(besideSettings(refused, 'above')).toBe('provider.test refused the key (401). Check it above.');
  expect(besideSettings('allow in Settings, Model, that the server passes calls on', 'above')).toBe(
    'allow above that the server passes calls on',
  );
});

test('[U352] a device that does not answer is named, with what to do; other failures stay as they are', () => {
  expect(deviceFailure('Device offline: nas (503)')?.text).toMatch(
    /^“nas” is not connected: its driver does not run/,
  );
  expect(deviceFailure('Device disconnected: nas (503)')?.see).toBe('How to start it');
  expect(deviceFailure('No active connection to device: nas (503)')?.text).toContain('had lost its server');
  expect(deviceFailure('Access denied to device: nsa (403)')?.text).toContain('no device “nsa”');
  expect(deviceFailure('ENOENT: no such file (404)')).toBeNull();
  expect(deviceFailure('Device offline: nas (503) and more')).toBeNull();
});

test('[U338] what was said last in a run is what is copied', () => {
  const row = (id: number, runId: string, role: MessageRow['role'], text: string): MessageRow => ({
    id,
    generation: 0,
    role,
    content: text === '' ? [] : [{ type: 'text', text }],
    timestamp: 0,
    runId,
  });
  const rows = [
    row(1, 'a', 'user', 'question'),
    row(2, 'a', 'assistant', 'I look.'),
    row(3, 'a', 'assistant', 'It is **so**.'),
    row(4, 'a', 'assistant', ''),
    row(5, 'b', 'assistant', 'of another run'),
  ];
  expect(answerOf(rows, 'a')).toBe('It is **so**.');
  expect(answerOf(rows, 'none')).toBe('');
});
