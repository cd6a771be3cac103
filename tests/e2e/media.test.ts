import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { DESKTOP, fits } from '../support/look.ts';
import { text } from '../support/model-replies.ts';
import { png } from '../support/png.ts';
import { answered, letSeeImages, say, World } from '../support/world.ts';

const WIDTH = 480;
const HEIGHT = 320;

let world: World;
let page: Page;
const dir = mkdtempSync(join(tmpdir(), 'gsv-media-'));
const cat = join(dir, 'cat.png');
const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, at) => (at * at + at) % 251);
const picture = png(WIDTH, HEIGHT, pixels);

beforeAll(async () => {
  writeFileSync(cat, picture);
  writeFileSync(join(dir, 'note.md'), '# Shopping\nbuy oat milk');
  writeFileSync(
    join(dir, 'drawing.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"><script>globalThis.evil = 1</script></svg>',
  );
  world = await World.start({
    browserArgs: ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
  });
  ({ page } = await world.open(undefined, DESKTOP, { reducedMotion: 'reduce' }));
  await withScreenshot(page, 'media-set-up', async () => {
    await world.setUp(page);
    await page.getByText('This browser has joined its server.').first().waitFor();
  });
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};
const chips = () => page.getByRole('list', { name: 'Attached' }).getByRole('listitem');
const asked = (): string => JSON.stringify(world.model.requests.at(-1)?.body.messages);

/** Files as the browser gives them to a page that they are pasted into, or dropped on. */
async function give(kind: 'paste' | 'drop', name: string, type: string, bytes: Buffer): Promise<void> {
  await page.evaluate(
    ({ kind, name, type, base64 }) => {
      const data = new DataTransfer();
      const raw = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      data.items.add(new File([raw], name, { type }));
      const box = document.querySelector('.composer textarea');
      if (kind === 'paste')
        box?.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
      for (const event of kind === 'drop' ? ['dragenter', 'dragover', 'drop'] : [])
        box?.dispatchEvent(new DragEvent(event, { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    { kind, name, type, base64: bytes.toString('base64') },
  );
}

step(
  '[U240] files are attached by the button, by pasting and by dropping, shown as chips, and removed again',
  async () => {
    await page.locator('[data-attach="files"]').setInputFiles([cat, join(dir, 'note.md')]);
    await give('paste', 'pasted.png', 'image/png', picture);
    await give('drop', 'dropped.pdf', 'application/pdf', Buffer.from('%PDF-1.7 hello'));
    expect(await chips().count()).toBe(4);
    await chips().filter({ hasText: 'cat.png' }).locator('img').waitFor();
    await chips().filter({ hasText: 'dropped.pdf' }).getByText('14 bytes').waitFor();
    await fits(page, 'chips');
    await page.getByRole('button', { name: 'Remove pasted.png' }).click();
    expect(await chips().count()).toBe(3);
  },
);

step(
  '[U241] a message with files shows pictures in their final size, which open large; the model is told of what it cannot see',
  async () => {
    world.model.enqueue(text('A cat, I am told.'));
    await say(page, 'what is this?');
    await answered(page, 'A cat, I am told.');
    expect(await chips().count()).toBe(0);
    expect(asked()).toContain('this model cannot see images');
    expect(asked()).toContain('buy oat milk');
    expect(asked()).toContain('dropped.pdf');
    const open = page.getByRole('log').getByRole('button', { name: 'Open cat.png' });
    const image = open.locator('img');
    await image.waitFor();
    const box = await image.boundingBox();
    expect([box?.width, box?.height]).toEqual([320, 213]);
    expect(await image.getAttribute('src')).toMatch(/^blob:/);
    await fits(page, 'sent');
    await open.click();
    const large = page.getByRole('dialog', { name: 'cat.png' }).locator('img');
    await large.waitFor();
    expect(await large.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(WIDTH);
    await page.getByRole('dialog').getByRole('button', { name: 'Save cat.png' }).waitFor();
    expect((await large.boundingBox())?.y ?? 0).toBeGreaterThan(150);
    await fits(page, 'large');
    await page.keyboard.press('Escape');
    await page.reload();
    await image.waitFor();
  },
);

step('[U242] a drawing that could hold a program is never shown, only saved', async () => {
  world.model.enqueue(text('Some text.'));
  await page.locator('[data-attach="files"]').setInputFiles(join(dir, 'drawing.svg'));
  await chips().filter({ hasText: 'drawing.svg' }).waitFor();
  await page.waitForFunction(() => document.querySelector('.file-chip.ready') !== null);
  await page.getByRole('button', { name: 'Send' }).click();
  await answered(page, 'Some text.');
  const saving = page.waitForEvent('download');
  await page.getByRole('log').getByRole('button', { name: 'Save drawing.svg' }).click();
  expect((await saving).suggestedFilename()).toBe('drawing.svg');
  expect(await page.evaluate(() => 'evil' in globalThis)).toBe(false);
  expect(await page.getByRole('log').locator('img').count()).toBe(1);
});

step('[U243] a model that is said to see images is sent them', async () => {
  await letSeeImages(page);
  world.model.enqueue(text('Now I see it.'));
  await say(page, 'and now?');
  await answered(page, 'Now I see it.');
  expect(asked()).toContain(`data:image/png;base64,${picture.toString('base64').slice(0, 40)}`);
});

step(
  '[U244] where the browser writes down what is said, it comes into the message box; else a recording is attached',
  async () => {
    await page.evaluate(() => {
      class Said {
        onresult: ((event: unknown) => void) | null = null;
        onend: (() => void) | null = null;
        start(): void {
          const result = { isFinal: true, 0: { transcript: ' remind me of the milk ' } };
          setTimeout(() => this.onresult?.({ resultIndex: 0, results: [result] }), 50);
        }
        stop(): void {
          this.onend?.();
        }
      }
      Object.assign(globalThis, { SpeechRecognition: Said });
    });
    const again = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Devices' }).click();
      await page.getByRole('link', { name: 'Chat' }).click();
    };
    await again();
    await page.getByRole('button', { name: 'Dictate' }).click();
    await page.waitForFunction(() => document.querySelector('textarea')?.value === 'remind me of the milk');
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await page.getByRole('button', { name: 'Dictate' }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('');

    await page.evaluate(() =>
      Object.assign(globalThis, { SpeechRecognition: undefined, webkitSpeechRecognition: undefined }),
    );
    await again();
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByRole('button', { name: 'Stop recording' }).waitFor();
    await page.waitForTimeout(600);
    await page.getByRole('button', { name: 'Stop recording' }).click();
    await chips().filter({ hasText: 'voice.' }).waitFor();
    world.model.enqueue(text('I cannot hear it.'));
    await page.waitForFunction(() => document.querySelector('.file-chip.ready') !== null);
    await page.getByRole('button', { name: 'Send' }).click();
    await answered(page, 'I cannot hear it.');
    expect(asked()).toContain('there is no transcript of it');
    await page.getByRole('log').getByRole('button', { name: 'Play' }).click();
    await page.getByRole('log').locator('audio').waitFor();
    await fits(page, 'sound');
  },
);

step('[U245] where the pointer is a finger, a photo can be taken with the camera', async () => {
  expect(await page.getByRole('button', { name: 'Take a photo' }).count()).toBe(0);
  const touch = await page.context().newCDPSession(page);
  await touch.send('Emulation.setEmulatedMedia', { features: [{ name: 'pointer', value: 'coarse' }] });
  await touch.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.reload();
  await page.getByRole('button', { name: 'Take a photo' }).waitFor();
  const camera = page.locator('[data-attach="camera"]');
  expect([await camera.getAttribute('capture'), await camera.getAttribute('accept')]).toEqual([
    'environment',
    'image/*',
  ]);
  await camera.setInputFiles(cat);
  await chips().filter({ hasText: 'cat.png' }).locator('img').waitFor();
});
