import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { GsvInMemory } from '../../../tests/support/gsv-in-memory.ts';
import { Heads } from './heads.ts';
import { expectLogs, knownLogs } from './known-logs.ts';
import { LogPlaces } from './log-places.ts';

const OLDER = /older state than the browser that invited this one knows/;
const FILES = '.fs';

/** A GSV whose room shows an older state of the files, with their inviter cut off. */
async function rolledBack() {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  await gsv.write(founder, '/home/ada/before.txt', 'before');
  await gsv.everythingStored(founder);
  const { storage } = gsv.room;
  const before = await storage.load(FILES);
  await gsv.write(founder, '/home/ada/after.txt', 'afterwards');
  await gsv.everythingStored(founder);
  const { secret } = await gsv.passing(founder.page.call('sys.invite.create', {}));
  founder.host.cut();
  await storage.removeDocuments([FILES]);
  await storage.append(FILES, before.updates);
  await gsv.room.restart();
  return { gsv, founder, secret };
}

test('[S203] a room that shows a newcomer an older state than its inviter knows is named until it is put right', async () => {
  const { gsv, founder, secret } = await rolledBack();
  const newcomer = await gsv.browser();
  const { session } = await gsv.passing(newcomer.page.call('sys.join', { secret }));
  await gsv.passing(newcomer.page.connect({ username: 'ada', token: session?.token ?? '' }));
  const { linkReason } = await newcomer.page.call('sys.status', {});
  expect(linkReason).toMatch(OLDER);
  const faults = async () => (await newcomer.page.call('sys.seal.get', {})).faults;
  expect(await faults()).toMatchObject([{ name: 'fs', document: 'your files' }]);
  await gsv.passing(
    expect(newcomer.page.call('sys.seal.repair', { name: 'fs' })).rejects.toMatchObject({ code: 409 }),
  );
  founder.host.mend();
  await gsv.reads(newcomer, '/home/ada/after.txt', 'afterwards');
  await gsv.until(async () => (await faults()).length === 0, 'nothing is wrong any more');
});

test('[S203] what the inviter knew is not in the link, and says nothing that the room does not know', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  await gsv.write(founder, '/home/ada/one.txt', 'one');
  await gsv.everythingStored(founder);
  const { secret } = await gsv.passing(founder.page.call('sys.invite.create', {}));
  // 32 bytes and a prefix, as before: the code that a phone scans is no larger.
  expect(secret).toHaveLength(52);
  const newcomer = await gsv.joined(secret);
  await gsv.reads(newcomer, '/home/ada/one.txt', 'one');
});

test('[S203] what is told of logs is kept until as much was read, and another text is refused', () => {
  const [inviter, newcomer] = [new LogPlaces(new Y.Doc()), new LogPlaces(new Y.Doc())];
  const heads = new Heads([{ writer: 'a', n: 7, hash: 'x' }]);
  inviter.put('fs', { seq: 9, hash: 'y', heads });
  expectLogs(newcomer, knownLogs(inviter));
  expect(newcomer.expected('fs')).toEqual([{ writer: 'a', n: 7 }]);
  expect(heads.reach(newcomer.expected('fs'))).toBe(true);
  expect(new Heads([{ writer: 'a', n: 6, hash: 'x' }]).reach(newcomer.expected('fs'))).toBe(false);
  newcomer.met('fs');
  expect(newcomer.expected('fs')).toEqual([]);
  expect(() => expectLogs(newcomer, '{"fs":{"a":-1}}')).toThrow();
});
