import { expect, test } from 'vitest';
import { causeId } from '../../../shared/std/cause-id.ts';
import { isMeant } from './approving.ts';

test('[U171] an approval is of the one question that its notification was about', async () => {
  const approval = { pid: 'init:1', notificationId: `approval:${causeId('approval', 'r1')}` };
  expect(await isMeant(approval, 'init:1', 'r1')).toBe(true);
  expect(await isMeant(approval, 'init:1', 'r2')).toBe(false);
  expect(await isMeant(approval, 'task:1', 'r1')).toBe(false);
});
