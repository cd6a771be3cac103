import { expect, test } from 'vitest';
import { lazy } from './lazy.ts';

test('[K200] what is loaded when it is needed is loaded once, and again after a failure', async () => {
  let asked = 0;
  const load = lazy(async () => {
    asked += 1;
    if (asked === 1) throw new Error('the file is not there');
    return asked;
  });
  await expect(load()).rejects.toThrow('not there');
  expect(await Promise.all([load(), load()])).toEqual([2, 2]);
});
