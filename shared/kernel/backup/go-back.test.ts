import { expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { SyscallError } from '../../protocol/errors.ts';
import { Documents } from '../documents.ts';
import type { Caller, Invocation } from '../handler.ts';
import type { Copies, Copy } from '../ports/copies.ts';
import { type CopiesParts, copiesHandlers } from './copies.ts';

const COPY: Copy = {
  ...{ name: 'old', version: 1, createdAt: 1, bytes: null },
  ...{ returning: false, restored: null },
};
const KEPT: Copy = { ...COPY, name: 'kept', createdAt: 2, returning: true };

/** A host with one copy, and what was done, in order. */
function host(change: Partial<Copies> = {}, joined = true) {
  const done: string[] = [];
  const disk = new TestKernel().disk;
  const copies: Copies = {
    list: async () => [COPY],
    open: () => Promise.reject(new Error('not asked for')),
    make: async () => {
      done.push('copied');
      return KEPT;
    },
    restore: async (name, instead) => {
      done.push(`${name}, else ${instead}`);
    },
    remove: async () => {},
    ...change,
  };
  const parts: CopiesParts = {
    copies,
    clock: { now: () => 0, after: () => () => {} },
    readBlob: async () => undefined,
    joined: () => joined,
    membership: {
      resign: async () => {
        done.push('left');
      },
    },
    flush: () => new Documents(disk.docs()).flush().then(() => void done.push('written')),
  };
  const restore = (name: string, uid = 1000) =>
    copiesHandlers(parts)['sys.backup.restore']({ name }, {
      caller: { identity: { uid } } as Caller,
    } as Invocation);
  return { done, restore };
}

test('[S110] going back writes what waits, copies it, leaves the server, and then goes', async () => {
  const { done, restore } = host();
  expect(await restore('old')).toEqual({ kept: KEPT });
  expect(done).toEqual(['written', 'copied', 'left', 'old, else kept']);
  const alone = host({}, false);
  await alone.restore('old');
  expect(alone.done).toEqual(['written', 'copied', 'old, else kept']);
});

test('[S110] where no copy can be made of what is here, nothing is left and nothing goes back', async () => {
  const { done, restore } = host({ make: () => Promise.reject(new Error('no space')) });
  await expect(restore('old')).rejects.toMatchObject({ code: 507, message: 'no space' });
  await expect(restore('gone')).rejects.toMatchObject({ code: 404 });
  await expect(restore('old', 1001)).rejects.toBeInstanceOf(SyscallError);
  expect(done).toEqual(['written']);
});
