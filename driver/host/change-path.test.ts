import { describe, expect, test } from 'vitest';
import { checkDeletable } from './change-path.ts';

describe('what may be deleted', () => {
  const machine = { home: '/usr/share', workspace: '/usr/lib', allowedRoot: undefined };

  // Asked of the check alone: a mistake here must not cost the machine that runs the test.
  test.each(['/', '/usr', '/usr/share', '/usr/lib'])('[D17] not %s', async (path) => {
    await expect(checkDeletable(machine, path)).rejects.toThrow('Refused to delete');
  });

  test.each(['/usr/share/x', '/usr/libx', '/srv'])('[D17] but %s', async (path) => {
    await expect(checkDeletable(machine, path)).resolves.toBeUndefined();
  });
});
