import { describe, expect, test } from 'vitest';
import { SyscallError } from '../../../shared/protocol/errors.ts';
import { readAll, streamOf } from '../../../shared/protocol/streams.ts';
import { elsewhere, elsewhereWords } from './elsewhere.ts';
import { collect, counted } from './files.ts';
import { joinProblem, timeLeft } from './inviting.ts';
import { bellName, type LiveNotification, shownOf, unreadCount } from './notifications.ts';
import { addressProblem, isOwnHostOnly, sameComputerAddress } from './reached-at.ts';
import { type LiveReplica, newcomer, replicaWords } from './replicas.ts';
import { onlyHereWords, persistenceWords, restoreProblem } from './storage.ts';

const NOW = Date.parse('2026-03-12T14:30');
const replica = (replicaId: string, extra: Partial<LiveReplica> = {}): LiveReplica => ({
  replicaId,
  name: replicaId,
  platform: 'Firefox on Linux',
  here: false,
  online: true,
  lastSeenAt: NOW,
  joinedAt: 0,
  revokedAt: null,
  storage: null,
  ...extra,
});

describe('browsers in words', () => {
  const words = (extra: Partial<LiveReplica>, online = true): string =>
    replicaWords(replica('laptop', extra), online, NOW);

  test('[U80] a browser says whether it is this one, online, when it was last seen, or shut out, and what it stores', () => {
    expect(words({ here: true, storage: 2_048 })).toBe('this browser · Firefox on Linux · stores 2 KB');
    expect(words({})).toBe('online · Firefox on Linux');
    expect(words({ online: false, lastSeenAt: NOW - 120_000 })).toContain('offline, last seen 2 m');
    expect(words({ online: false, lastSeenAt: null })).toContain('never connected');
    expect(words({ revokedAt: NOW, storage: 5 })).toBe('shut out now · Firefox on Linux');
    expect(words({ platform: 'laptop' })).toBe('online');
  });

  test('[U80] without the server nothing is said of who is online now', () => {
    expect(words({ online: false, lastSeenAt: null }, false)).toContain('not known while offline');
    expect(words({ online: false, lastSeenAt: NOW - 120_000 }, false)).toMatch(/^last seen/);
  });
});

describe('an invitation', () => {
  test('[U82] the newcomer is the browser that was not there when the link was made', () => {
    const before = new Set(['desk', 'phone']);
    expect(newcomer([replica('desk'), replica('phone')], before)).toBeUndefined();
    expect(newcomer([replica('desk'), replica('new')], before)?.replicaId).toBe('new');
    expect(newcomer([replica('new', { revokedAt: 1 })], before)).toBeUndefined();
  });

  test('[U82] its time runs down to nothing', () => {
    expect(timeLeft(NOW + 600_000, NOW)).toBe('10:00');
    expect(timeLeft(NOW + 61_500, NOW)).toBe('1:02');
    expect(timeLeft(NOW + 1, NOW)).toBe('0:01');
    expect(timeLeft(NOW, NOW)).toBeNull();
  });

  test('[U83] an address that only this computer can open is recognised', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'gsv.localhost'])
      expect(isOwnHostOnly(host), host).toBe(true);
    for (const host of ['nas.local', '192.168.1.4', 'localhost.example.org'])
      expect(isOwnHostOnly(host), host).toBe(false);
  });

  test('[U332] an address for other devices is checked; where the page cannot work, it says where it can', () => {
    expect(addressProblem('https://gsv.example.org/', 'browser')).toBeNull();
    expect(addressProblem('http://192.168.1.20:1999', 'workstation')).toBeNull();
    expect(addressProblem('http://192.168.1.20:1999', 'browser')).toMatch(/needs HTTPS/);
    expect(addressProblem('https://localhost:1999', 'browser')).toMatch(/this computer/);
    for (const text of ['', 'gsv.example.org', 'ftp://gsv.example.org'])
      expect(addressProblem(text, 'workstation'), text).toMatch(/^An address such as/);
    expect(sameComputerAddress({ port: '1999', hash: '#claim=x' })).toBe('http://localhost:1999/#claim=x');
  });

  test('[U85] a refusal says why, and whether trying again helps', () => {
    const problem = (code: number, message = 'no'): ReturnType<typeof joinProblem> =>
      joinProblem(new SyscallError(code, message));
    expect(problem(401, 'Invitation used')).toMatchObject({
      title: 'This link was used already',
      again: false,
    });
    expect(problem(410, 'It has expired')).toMatchObject({ title: 'This link has expired', again: false });
    expect(problem(401).text).toContain('once, and for ten minutes');
    expect(problem(409).title).toBe('This browser already holds a GSV');
    expect(problem(504)).toMatchObject({ title: 'The server cannot be reached', again: true });
    expect(problem(429).again).toBe(true);
    expect(joinProblem(new Error('odd')).text).toBe('odd');
  });
});

describe('a run elsewhere', () => {
  const here = { replicaId: 'desk', link: 'online' } as const;
  const run = { owner: 'laptop' };

  test('[U92] a run of this browser, or of none, is not elsewhere', () => {
    expect(elsewhere(null, here, [])).toBeNull();
    expect(elsewhere({ owner: 'desk' }, here, [])).toBeNull();
    expect(elsewhere({ owner: '' }, here, [])).toBeNull();
    expect(elsewhere(run, undefined, [])).toBeNull();
  });

  test('[U92] a browser that is there is named; one that left or was shut out is gone', () => {
    expect(elsewhere(run, here, [replica('laptop')])).toEqual({ name: 'laptop', presence: 'there' });
    expect(elsewhere(run, here, [replica('laptop', { online: false })])?.presence).toBe('lost');
    expect(elsewhere(run, here, [replica('laptop', { revokedAt: 1 })])?.presence).toBe('lost');
    expect(elsewhere(run, here, [])).toEqual({ name: 'another browser', presence: 'lost' });
    expect(elsewhereWords({ name: 'laptop', presence: 'there' })).toBeNull();
    expect(elsewhereWords({ name: 'laptop', presence: 'lost' })).toMatch(/^Laptop is gone\./);
  });

  test('[U92] without the server it is not known whether the other one is there, and that is said', () => {
    const away = elsewhere(run, { ...here, link: 'offline' }, [replica('laptop', { online: false })]);
    expect(away?.presence).toBe('unknown');
    expect(elsewhereWords({ name: 'laptop', presence: 'unknown' })).toContain('not known');
  });
});

describe('notifications', () => {
  const row = (notificationId: string, extra: Partial<LiveNotification> = {}): LiveNotification => ({
    notificationId,
    title: notificationId,
    level: 'info',
    createdAt: 1,
    readAt: null,
    dismissedAt: null,
    expiresAt: null,
    actions: [],
    source: { kind: 'user' },
    ...extra,
  });

  test('[U96] the newest comes first; dismissed and expired ones are left out', () => {
    const rows = [
      row('old'),
      row('new', { createdAt: 5 }),
      row('dismissed', { dismissedAt: 2 }),
      row('expired', { expiresAt: 10 }),
    ];
    expect(shownOf(rows, 10).map(({ notificationId }) => notificationId)).toEqual(['new', 'old']);
  });

  test('[U96] the bell’s name says how many are new', () => {
    expect(bellName(unreadCount([row('a'), row('b', { readAt: 1 })]))).toBe('Notifications, 1 new');
    expect(bellName(0)).toBe('Notifications');
  });
});

describe('what is stored', () => {
  test('[U94] the browser’s answer about keeping it is in words, also when there is none', () => {
    expect(persistenceWords('kept')).toContain('deletes nothing');
    expect(persistenceWords('not kept')).toContain('may delete');
    expect(persistenceWords('refused')).toContain('said no');
    expect(persistenceWords('unknown')).toContain('does not tell');
  });

  test('[U94] what exists only here is said', () => {
    const stored = { documents: 1, blobs: 1, blobsOnlyHere: 0, blobCap: 1 };
    expect(onlyHereWords(stored, 0, true)).toContain('only here');
    expect(onlyHereWords(stored, 0, false)).toBe('The server has all of it too.');
    expect(onlyHereWords({ ...stored, blobsOnlyHere: 5 }, 0, false)).toContain('not at the server yet');
    expect(onlyHereWords(stored, 2, false)).toContain('not at the server yet');
  });

  test('[U95] a stream is gathered whole, and every byte is counted on its way', async () => {
    const counts: number[] = [];
    const file = await collect(streamOf(new Uint8Array(9_000_000).fill(7)), 'application/zip', (count) =>
      counts.push(count),
    );
    expect([file.size, file.type, counts.at(-1)]).toEqual([9_000_000, 'application/zip', 9_000_000]);
    const sent: number[] = [];
    const whole = await readAll(
      counted(file, (count) => sent.push(count)),
      10_000_000,
    );
    expect([whole.length, whole[8_999_999], sent.at(-1)]).toEqual([9_000_000, 7, 9_000_000]);
  });

  test('[U95] a stream that breaks off is no file', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new SyscallError(503, 'Connection closed'));
      },
    });
    await expect(collect(broken, 'application/zip', () => {})).rejects.toThrow('Connection closed');
  });

  test('[U87] a file that is not restored changes nothing, and it is said why', () => {
    expect(restoreProblem(new SyscallError(409, 'x'))).toContain('empty one only');
    expect(restoreProblem(new SyscallError(400, 'no manifest'))).toContain('damaged (no manifest)');
    expect(restoreProblem(new SyscallError(507, 'Full.'))).toContain('not enough room');
    expect(restoreProblem(new Error('odd'))).toContain('odd');
  });
});
