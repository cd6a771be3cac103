import { expect, test } from 'vitest';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { systemTables } from '../../state/system.ts';
import type { Caller, Invocation } from '../handler.ts';
import { pushHandlers } from './push.ts';

const address = { endpoint: 'https://push.example/1', p256dh: 'A'.repeat(87), auth: 'B'.repeat(22) };

function fixture() {
  const tables = systemTables(emptySystem());
  let flushes = 0;
  const handlers = pushHandlers({
    tables,
    replica: { id: 'phone' },
    clock: { now: () => 5, after: () => () => {} },
    flush: async () => {
      flushes += 1;
    },
  });
  const as = (uid: number) => ({ caller: { identity: { uid } } as Caller }) as Invocation;
  return { tables, handlers, as, flushed: () => flushes };
}

test('[R128] a browser has one subscription for each of its people, which its person replaces and ends', async () => {
  const { tables, handlers, as, flushed } = fixture();
  await handlers['notification.push.set'](address, as(1000));
  await handlers['notification.push.set']({ ...address, endpoint: 'https://push.example/2' }, as(1000));
  await handlers['notification.push.set'](address, as(1001));
  expect(tables.push.keys().sort()).toEqual(['phone/1000', 'phone/1001']);
  expect(tables.push.get('phone/1000')).toMatchObject({
    replicaId: 'phone',
    endpoint: 'https://push.example/2',
  });
  expect(await handlers['notification.push.remove']({}, as(1000))).toEqual({ removed: true });
  expect(await handlers['notification.push.remove']({}, as(1000))).toEqual({ removed: false });
  expect(tables.push.keys()).toEqual(['phone/1001']);
  expect(flushed()).toBe(5);
});

test('[R128] the same subscription once more writes nothing', async () => {
  const { tables, handlers, as } = fixture();
  await handlers['notification.push.set'](address, as(1000));
  let changes = 0;
  tables.push.observe(() => {
    changes += 1;
  });
  await handlers['notification.push.set'](address, as(1000));
  expect(changes).toBe(0);
});
