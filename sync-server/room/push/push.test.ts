import { expect, test } from 'vitest';
import type { NoticeRow } from '../../../shared/state/control.ts';
import { fromBase64Url } from '../../../shared/std/bytes.ts';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { MemoryRoomStorage } from '../../../tests/support/memory-room-storage.ts';
import { PushBrowser } from '../../../tests/support/push-browser.ts';
import { claimedRoom, openRoom } from '../../../tests/support/room-in-memory.ts';
import { turns } from '../../../tests/support/turns.ts';
import { isPushAddress } from './send.ts';

const ENDPOINT = 'https://push.example/send/one';
const GRACE_MS = 3_000;
const ALICE = 1000;

/** A room, a push service that answers with the next of `answers`, and one subscribed browser of Alice. */
async function withService(answers: number[] = []) {
  const asked: Request[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    asked.push(request.clone());
    return new Response(null, { status: answers.shift() ?? 201 });
  };
  const memory = await openRoom(new MemoryRoomStorage(), new ManualClock(), fetch);
  const room = await claimedRoom(memory);
  const browser = await PushBrowser.create();
  const row = { replicaId: 'replica-2', uid: ALICE, createdAt: 0, ...browser.subscription(ENDPOINT) };
  await room.change((tables) => tables.push.put(`replica-2/${ALICE}`, row));
  const notify = (id: string, change: Partial<NoticeRow> = {}): Promise<void> =>
    room.change((tables) => tables.notices.put(id, noticeOf(id, room.clock.now(), change)));
  const read = async (at: number) =>
    browser.read(new Uint8Array((await asked[at]?.clone().arrayBuffer()) ?? []));
  /** What is encrypted and handed over then is over, too. */
  const settle = async (ms: number): Promise<void> => {
    await room.clock.advance(ms);
    await turns(20);
  };
  return { ...room, memory, asked, notify, read, settle };
}

function noticeOf(id: string, now: number, change: Partial<NoticeRow>): NoticeRow {
  return { id, uid: ALICE, pid: 'task:1', createdAt: now, seenAt: null, ...change };
}

/** Waits until so many messages were handed over: encrypting takes its time. */
function sent(asked: readonly Request[], count: number): Promise<void> {
  return expect.poll(() => asked.length).toBe(count);
}

test('[R122] what nobody has seen goes to the browsers of its person: what kind and where, and nothing of its words', async () => {
  const { notify, settle, asked, read } = await withService();
  await notify('approval:1');
  await notify('other', { uid: ALICE + 1 });
  await settle(GRACE_MS);
  await sent(asked, 1);
  expect(await read(0)).toEqual({ id: 'approval:1', kind: 'approval', pid: 'task:1', waiting: 1 });
  const { headers, url, method } = asked[0] as Request;
  expect([method, url, headers.get('content-encoding'), headers.get('urgency')]).toEqual([
    'POST',
    ENDPOINT,
    'aes128gcm',
    'high',
  ]);
  expect(headers.get('topic')).toMatch(/^[\w-]{32}$/);
  const [, claims = ''] = /^vapid t=[\w-]+\.([\w-]+)\./.exec(headers.get('authorization') ?? '') ?? [];
  const { aud } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  expect(aud).toBe('https://push.example');
});

test('[R122] kinds follow from what it is about, and the count is of what its person has not read', async () => {
  const { notify, settle, asked, read } = await withService();
  await notify('run:1');
  await settle(GRACE_MS);
  await notify('news', { pid: null });
  await settle(GRACE_MS);
  await sent(asked, 2);
  expect(await read(0)).toMatchObject({ kind: 'finished', waiting: 1 });
  expect(await read(1)).toMatchObject({ kind: 'news', pid: null, waiting: 2 });
});

test('[R123] nothing is sent while somebody looks at a page; one that is gone is looked at by nobody', async () => {
  const { notify, settle, asked, kernel } = await withService();
  const looking = await kernel('replica-3');
  looking.peer.signal('replica.attend', { visible: true });
  await notify('one');
  await settle(GRACE_MS);
  expect(asked).toHaveLength(0);
  looking.peer.signal('replica.attend', { visible: false });
  await notify('two');
  await settle(GRACE_MS);
  await sent(asked, 1);
  looking.peer.signal('replica.attend', { visible: true });
  await settle(0);
  looking.peer.close(1000, 'gone');
  await settle(0);
  await notify('three');
  await settle(GRACE_MS);
  await sent(asked, 2);
});

test('[R123] what is read within a moment is not sent', async () => {
  const { notify, settle, asked } = await withService();
  await notify('one');
  await notify('one', { seenAt: 1 });
  await notify('two');
  await notify('two', { seenAt: 2 });
  await settle(GRACE_MS);
  expect(asked).toHaveLength(0);
});

test('[R124] what a service cannot take now is tried again; a subscription that is gone is not used again', async () => {
  const { notify, settle, asked } = await withService([503, 201, 410]);
  await notify('one');
  await settle(GRACE_MS);
  await sent(asked, 1);
  await settle(0);
  await settle(5_000);
  await sent(asked, 2);
  await notify('two');
  await settle(GRACE_MS);
  await sent(asked, 3);
  await settle(0);
  await notify('three');
  await settle(GRACE_MS);
  expect(asked).toHaveLength(3);
});

test('[R125] the key that browsers subscribe with stays the same over a restart', async () => {
  const { memory } = await withService();
  const key = await memory.room.pushKey();
  expect(key).toMatch(/^[\w-]{87}$/);
  expect(await (await memory.restart()).room.pushKey()).toBe(key);
});

test('[R126] messages go to push services of the web, and without TLS to this machine alone', () => {
  expect(['https://push.example/a', 'http://127.0.0.1:9/a', 'http://localhost/a'].map(isPushAddress)).toEqual(
    [true, true, true],
  );
  expect(['http://push.example/a', 'https://a:b@push.example', 'ftp://x', 'no'].map(isPushAddress)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('[R127] a browser that was shut out is sent nothing', async () => {
  const { notify, settle, asked, change } = await withService();
  await change((tables) => {
    for (const row of tables.tokens.rows())
      if (row.allowedDeviceId === 'replica:replica-2')
        tables.tokens.patch(row.tokenId, { revokedAt: 1, revokedReason: 'revoked' });
  });
  await notify('one');
  await settle(GRACE_MS);
  expect(asked).toHaveLength(0);
});

test('[W62] what a push service is sent names the person’s address, or the server’s, and never what is none', async () => {
  const { change, notify, settle, asked } = await withService();
  const setContact = (key: string, value: string) => change((tables) => tables.config.put(key, { value }));
  const contacts: unknown[] = [];
  const send = async (id: string): Promise<void> => {
    const count = asked.length + 1;
    await notify(id);
    await settle(GRACE_MS);
    await sent(asked, count);
    contacts.push(contactIn(asked[count - 1]));
  };
  await send('approval:1');
  await setContact('config/server/push_contact', 'https://gsv.example/about');
  await send('approval:2');
  await setContact(`users/${ALICE}/push/contact`, 'mailto:ada@example.org');
  await send('approval:3');
  await setContact(`users/${ALICE}/push/contact`, 'ada');
  await send('approval:4');
  expect(contacts).toEqual([
    'mailto:owner@gsv.example',
    'https://gsv.example/about',
    'mailto:ada@example.org',
    'https://gsv.example/about',
  ]);
});

/** Who the token of a message says can be reached. */
function contactIn(request: Request | undefined): unknown {
  const [, claims = ''] = /t=[^.]+\.([^.]+)\./.exec(request?.headers.get('authorization') ?? '') ?? [];
  return JSON.parse(new TextDecoder().decode(fromBase64Url(claims))).sub;
}
