import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { causeId } from './cause-id.ts';

test('[P37] an id derived from its cause is the same everywhere, and another for each cause and namespace', () => {
  const id = causeId('run', 'message-1');
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const digest = createHash('sha256').update('3:runmessage-1').digest('hex');
  expect(id.slice(0, 13)).toBe(`${digest.slice(0, 8)}-${digest.slice(8, 12)}`);
  expect(causeId('run', 'message-1')).toBe(id);
  const others = [causeId('run', 'message-2'), causeId('tick', 'message-1'), causeId('runm', 'essage-1')];
  expect(new Set([id, ...others]).size).toBe(4);
});
