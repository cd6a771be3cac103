import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Args, SyscallName } from '../../shared/syscalls/table.ts';
import { askKernel, letAsk } from '../support/ask-kernel.ts';
import { withScreenshot } from '../support/browser.ts';
import { byWord } from '../support/by-word.ts';
import { openElsewhere, synced } from '../support/one-gsv.ts';
import { answered, say, World } from '../support/world.ts';

/** Room for a GSV and little more. Set before anything is stored: Chromium grants space in advance. */
const QUOTA = 4_000_000;
const NO_SPACE = /no space left .*Free some space, then try again/;
/** Of files that fill the disk, the last ones as small as a row. */
const SIZES = [400_000, 40_000, 4_000, 300];
const SHOTS = process.env.SHOTS;
const exported = join(mkdtempSync(join(tmpdir(), 'gsv-full-')), 'gsv.zip');

let world: World;
let page: Page;
let other: Page;
let devtools: CDPSession;
let pid: string;
/** What was acknowledged: paths of files with what they hold. */
const kept = new Map<string, string>();

beforeAll(async () => {
  world = await World.start();
  world.model.respond(byWord);
  const context = await world.browser.newContext({ viewport: { width: 1360, height: 860 } });
  page = await context.newPage();
  await letAsk(page);
  devtools = await context.newCDPSession(page);
  await quota(QUOTA);
  await withScreenshot(page, 'full-disk-writes-set-up', async () => {
    await page.goto(world.server.claimLink ?? '');
    await world.setUp(page);
    await say(page, 'write theirs.md: of another browser');
    await page.getByText(/^Result: .*theirs\.md/).waitFor();
    ({ page: other } = await openElsewhere(world, page));
    await letAsk(other);
    await other.reload();
    await other.getByRole('textbox', { name: 'Message' }).waitFor();
    await synced(page);
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run), 120_000);
};

/** Lets this origin store so much and no more; null is as before. */
async function quota(bytes: number | null): Promise<void> {
  const size = bytes === null ? {} : { quotaSize: bytes };
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: world.server.url, ...size });
}

/** What could be compressed would not fill a disk. */
const noise = (bytes: number): string => randomBytes((bytes * 3) / 4).toString('base64');

async function look(name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/full-disk-${name}.png` });
}

/** Why a call was refused, as code and words; null when it was not. A failed operation on files is an answer. */
async function refusal<Name extends SyscallName>(name: Name, args: Args<Name>): Promise<string | null> {
  const answer = await askKernel(page, name, args);
  if (!('data' in answer)) return `${answer.code} ${answer.message}`;
  const { ok, error } = answer.data as { ok?: boolean; error?: string };
  return ok === false ? (error ?? '') : null;
}

async function write(path: string, content: string): Promise<string | null> {
  const refused = await refusal('fs.write', { path, content });
  if (refused === null) kept.set(path, content);
  return refused;
}

/** Writes files until none fits, however small. */
async function fill(folder: string): Promise<void> {
  for (const [step, size] of SIZES.entries()) {
    for (let n = 0; ; n += 1) {
      const refused = await write(`${folder}/${step}-${n}.txt`, noise(size));
      if (refused === null) continue;
      expect(refused).toMatch(NO_SPACE);
      break;
    }
  }
}

function used(): Promise<number> {
  return page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0);
}

/** From now on not a byte fits: the browser lets a little more in than it says. `over`: it lets in less than there is. */
async function noMore(over = 0): Promise<void> {
  await quota((await used()) - over);
  expect(await refusal('fs.write', { path: 'no-room.md', content: noise(300) })).toMatch(NO_SPACE);
}

/** A process that was talked to. */
async function busyProcess(): Promise<string> {
  const spawned = await askKernel(page, 'proc.spawn', { profile: 'task', label: 'to be ended' });
  const { pid: made } = ('data' in spawned ? spawned.data : {}) as { pid: string };
  await askKernel(page, 'proc.send', { pid: made, message: noise(20_000) });
  const said = async (): Promise<number> => {
    const answer = await askKernel(page, 'proc.history', { pid: made });
    return ('data' in answer ? (answer.data as { messageCount: number }) : { messageCount: 0 }).messageCount;
  };
  await expect.poll(said, { timeout: 15_000 }).toBe(2);
  return made;
}

/** Whether space is kept for what makes room. */
function isKept(): Promise<boolean> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('gsv');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const counting = database.transaction('reserve').objectStore('reserve').count();
    const count = await new Promise((resolve) => {
      counting.onsuccess = () => resolve(counting.result);
    });
    database.close();
    return count === 1;
  });
}

/** What a file holds, as a browser reads it; null when it cannot. All of them are one line. */
async function contents(of: Page, path: string): Promise<string | null> {
  const answer = await askKernel(of, 'fs.read', { path });
  const { content } = ('data' in answer ? answer.data : {}) as { content?: string };
  return content?.replace(/^ *1\t/, '') ?? null;
}

/** Everything but files that the refused calls would have changed. */
async function listed(): Promise<unknown> {
  const answers = [
    await askKernel(page, 'sys.config.get', { key: 'users/1000/ai' }),
    await askKernel(page, 'sched.list', {}),
    await askKernel(page, 'proc.list', {}),
    await askKernel(page, 'sys.token.list', {}),
  ];
  return JSON.parse(JSON.stringify(answers, (name, value) => (/At(Ms)?$/.test(name) ? null : value)));
}

async function settings(section: string): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: section }).click();
}

step('[S82] a full disk refuses every kind of write in words, and takes none of it half', async () => {
  await write('kept.md', 'as it was');
  pid = await busyProcess();
  await expect.poll(isKept, { timeout: 15_000 }).toBe(true);
  await fill('fill');
  const before = await listed();
  const refused = [
    await refusal('fs.write', { path: 'new.md', content: noise(300) }),
    await refusal('fs.edit', { path: 'kept.md', oldString: 'as it was', newString: 'changed' }),
    await refusal('fs.write', { path: 'large.txt', content: noise(5_000_000) }),
    await refusal('sys.config.set', { key: 'users/1000/ai/note', value: noise(300) }),
    await refusal('sched.add', {
      name: 'refused',
      expression: { kind: 'every', everyMs: 3_600_000 },
      target: { kind: 'process.event', pid: 'init:1000', message: noise(300) },
    }),
    await refusal('proc.spawn', { profile: 'task', label: 'refused' }),
    await refusal('sys.token.create', { kind: 'user', label: 'refused' }),
  ];
  for (const words of refused) expect(words).toMatch(NO_SPACE);
  expect(await listed()).toEqual(before);
  expect([await contents(page, 'kept.md'), await contents(page, 'new.md')]).toEqual(['as it was', null]);
});

step(
  '[S111] on a full disk a process is ended and a conversation reset, and their histories archived',
  async () => {
    for (const [name, about] of [
      ['proc.kill', { pid }],
      ['proc.reset', {}],
    ] as const) {
      await noMore();
      const answer = await askKernel(page, name, about);
      expect(answer).toMatchObject({ data: { ok: true } });
      expect((answer as { data: { archivedMessages: number } }).data.archivedMessages).toBeGreaterThan(1);
      await quota((await used()) + 2_000_000);
      await expect.poll(isKept, { timeout: 15_000 }).toBe(true);
      await fill(name);
    }
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(JSON.stringify(await askKernel(page, 'proc.list', {}))).not.toContain(pid);
    expect(await page.getByText('theirs.md').count()).toBe(0);
  },
);

step('[S91] on a full disk what is deleted goes, makes room, and does not come back', async () => {
  await noMore();
  expect(await refusal('fs.delete', { path: 'fill/0-0.txt' })).toBe(null);
  kept.delete('fill/0-0.txt');
  expect(await contents(page, 'fill/0-0.txt')).toBe(null);
  expect(await write('room.md', 'there is room'), 'what it took is free').toBe(null);
  await page.reload();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  expect(await contents(page, 'fill/0-0.txt')).toBe(null);
  await fill('again');
});

step('[U250] on a full disk the page says so where something is attached, saved or made', async () => {
  const chip = page.getByRole('list', { name: 'Attached' }).getByRole('listitem');
  const picture = { name: 'cat.bin', mimeType: 'application/octet-stream', buffer: randomBytes(500_000) };
  await page.locator('[data-attach="files"]').setInputFiles(picture);
  await chip.getByText(NO_SPACE).waitFor();
  await look('attach');
  await chip.getByRole('button', { name: 'Remove cat.bin' }).click();
  await settings('Model');
  await page.getByLabel('Model calls per run').fill('7');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(NO_SPACE).waitFor();
  await look('settings');
  await page.getByRole('link', { name: 'Processes' }).click();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('button', { name: 'New schedule' }).click();
  await page.getByLabel('What it is told').fill('look at the calendar');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText(/schedule.*no space left/i).waitFor();
  await look('schedule');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Chat' }).click();
});

step('[S85] on a full disk everything is read, of other browsers too, and can be exported', async () => {
  const theirs = noise(600_000);
  expect(await askKernel(other, 'fs.write', { path: 'theirs.txt', content: theirs })).toHaveProperty('data');
  await synced(other);
  await expect.poll(() => contents(page, 'theirs.txt'), { timeout: 15_000 }).toBe(theirs);
  for (const [path, content] of kept) expect(await contents(page, path), path).toBe(content);
  await settings('Storage');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export everything' }).click(),
  ]);
  await download.saveAs(exported);
  await page.getByText(/is in your downloads/).waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
});

step(
  '[S112] a disk far over what it may take can be cleared, where the server has what is on it',
  async () => {
    const onlyHere = async (): Promise<unknown> => {
      const answer = await askKernel(page, 'sys.storage', {});
      return 'data' in answer ? (answer.data as { blobsOnlyHere: number }).blobsOnlyHere : answer;
    };
    await expect.poll(onlyHere, { timeout: 30_000 }).toBe(0);
    await noMore(1_500_000);
    expect(await refusal('fs.delete', { path: 'fill/0-1.txt' })).toBe(null);
    kept.delete('fill/0-1.txt');
    for (const [path, content] of kept) expect(await contents(page, path), path).toBe(content);
  },
);

step(
  '[S82] with room again all of it works, and what was acknowledged is whole here and elsewhere',
  async () => {
    await quota(null);
    expect(await write('new.md', 'fits now')).toBe(null);
    expect(await refusal('fs.edit', { path: 'kept.md', oldString: 'as it was', newString: 'changed' })).toBe(
      null,
    );
    kept.set('kept.md', 'changed');
    await say(page, 'hello again');
    await answered(page, 'Heard: hello again');
    await page.reload();
    await answered(page, 'Heard: hello again');
    await synced(page);
    for (const [path, content] of kept) {
      expect(await contents(page, path), path).toBe(content);
      await expect.poll(() => contents(other, path), { timeout: 15_000 }).toBe(content);
    }
    expect(JSON.stringify(await listed())).not.toContain('refused');
  },
);

step('[S86] a file that does not fit is not restored, says so, and is once there is room', async () => {
  const context = await world.browser.newContext();
  const fresh = await context.newPage();
  const own = await context.newCDPSession(fresh);
  const allow = (quotaSize?: number) =>
    own.send('Storage.overrideQuotaForOrigin', {
      origin: world.server.url,
      ...(quotaSize === undefined ? {} : { quotaSize }),
    });
  await allow(1_500_000);
  await withScreenshot(fresh, 'full-disk-restore', async () => {
    await fresh.goto(world.server.url);
    await fresh.getByRole('button', { name: 'Restore from an exported file' }).click();
    await fresh.getByLabel('Exported file').setInputFiles(exported);
    await fresh.getByLabel('New password').fill('correct horse battery');
    await fresh.getByRole('button', { name: 'Restore', exact: true }).click();
    await fresh.getByText(/not enough room .*Nothing was changed/).waitFor({ timeout: 30_000 });
    await allow();
    await fresh.getByRole('button', { name: 'Restore', exact: true }).click();
    await fresh.getByRole('heading', { name: /restored|back/i }).waitFor({ timeout: 30_000 });
  });
  await context.close();
});
