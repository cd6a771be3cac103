import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { png } from '../support/png.ts';
import { answered, letSeeImages, say, toolResults, World } from '../support/world.ts';

/** Noise of this side, in pixels, makes a file that no frame holds: it comes as a byte stream. */
const PICTURE_SIDE = 400;
const FRAME_BYTES = 256 * 1024;
const LARGE_BYTES = 5 * 1024 * 1024;

let world: World;
let page: Page;
let box: string;
let other: string;

beforeAll(async () => {
  world = await World.start();
  ({ page } = await world.open());
  await withScreenshot(page, 'real-peers-set-up', async () => {
    await world.setUp(page);
    box = (await world.addDevice(page, 'box')).workspace;
    other = (await world.addDevice(page, 'other')).workspace;
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

/** The agent runs one command that a person approves; resolves with what the model was told. */
async function approved(target: string, input: string): Promise<string> {
  const done = `Done: ${input.slice(0, 40)} ${randomBytes(3).toString('hex')}`;
  world.model.enqueue(tool('Shell', { target, input }), text(done));
  await say(page, `please run ${input}`);
  await page.getByRole('button', { name: 'Approve' }).click();
  await answered(page, done);
  return toolResults(world.model).at(-1) ?? '';
}

step('[A72] the agent clones a git repository on the device', async () => {
  const origin = mkdtempSync(join(world.home, 'origin-'));
  mkdirSync(join(origin, 'deep', 'folder'), { recursive: true });
  writeFileSync(join(origin, 'deep', 'folder', 'read me.txt'), 'cloned for real\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@localhost', ...args], { cwd: origin });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  const commit = git('rev-parse', 'HEAD').toString();
  const told = await approved('box', `git clone ${pathToFileURL(origin).href} copy`);
  expect(told).toContain('Cloning into');
  expect(told).toContain('[exit 0]');
  expect(readFileSync(join(box, 'copy', 'deep', 'folder', 'read me.txt'), 'utf8')).toBe('cloned for real\n');
  expect(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: join(box, 'copy') }).toString()).toBe(commit);
});

for (const { name, make } of [
  { name: 'every byte value', make: everyByte },
  { name: '5 MB of noise', make: () => randomBytes(LARGE_BYTES) },
]) {
  step(`[A73] a file of ${name} is whole after device → gsv → second device`, async () => {
    const bytes = make();
    const file = `copy of ${bytes.length}.bin`;
    writeFileSync(join(box, file), bytes);
    expect(await approved('gsv', `cp 'box:${file}' 'gsv:/home/ada/${file}'`)).toContain(sha256(bytes));
    expect(await approved('gsv', `cp 'gsv:/home/ada/${file}' 'other:${file}'`)).toContain(sha256(bytes));
    expect(sha256(readFileSync(join(other, file)))).toBe(sha256(bytes));
  });
}

step('[A74] a picture that the agent reads on the device reaches the provider whole', async () => {
  const picture = png(PICTURE_SIDE, PICTURE_SIDE, randomBytes(PICTURE_SIDE * PICTURE_SIDE * 3));
  expect(picture.length).toBeGreaterThan(FRAME_BYTES);
  writeFileSync(join(box, 'photo.png'), picture);
  await letSeeImages(page);
  world.model.enqueue(tool('Read', { target: 'box', path: 'photo.png' }), text('A picture of noise.'));
  await say(page, 'look at photo.png');
  await answered(page, 'A picture of noise.');
  const sent = pictures(world.model.requests.at(-1)?.body.messages);
  expect(sent.map(({ type }) => type)).toEqual(['image/png']);
  expect(sent.map(({ bytes }) => sha256(bytes))).toEqual([sha256(picture)]);
});

/** Every value at every place of a block of 256 bytes, and an end that fills no block. */
function everyByte(): Buffer {
  return Buffer.from(Uint8Array.from({ length: 65_536 + 257 }, (_, at) => at + (at >> 8)));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The image content parts of a request, in order. */
function pictures(messages: unknown): { type: string; bytes: Buffer }[] {
  const found = JSON.stringify(messages).matchAll(/"url":"data:([^;"]+);base64,([^"]+)"/g);
  return [...found].map(([, type = '', data = '']) => ({ type, bytes: Buffer.from(data, 'base64') }));
}
