import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serveFixture } from './serve.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * `node tests/support/ui-fixture/pictures.mjs`: draws the icons of the installed app from `public/icon.svg`, and takes its screenshots
 * from the page on its scripted kernel.
 */
const BACKGROUND = '#111418';
/** Of a maskable icon only the inner 80 % are sure to be seen; the drawing fills less than that. */
const MASKABLE = 0.72;

const icons = [
  { file: 'icon-192.png', size: 192, scale: 1, background: 'transparent' },
  { file: 'icon-512.png', size: 512, scale: 1, background: 'transparent' },
  { file: 'icon-maskable-192.png', size: 192, scale: MASKABLE, background: BACKGROUND },
  { file: 'icon-maskable-512.png', size: 512, scale: MASKABLE, background: BACKGROUND },
  { file: 'icon-apple.png', size: 180, scale: MASKABLE, background: BACKGROUND },
  // Shown in one colour in the status bar: only its shape counts.
  { file: 'badge.png', size: 96, scale: 1, background: 'transparent', shape: true },
];
const screens = [
  { file: 'screenshot-wide.png', width: 1280, height: 800, scale: 1, path: '/?scene=chat' },
  { file: 'screenshot-narrow.png', width: 390, height: 844, scale: 2, path: '/?scene=chat' },
];

function iconPage({ size, scale, background, shape = false }) {
  const svg = readFileSync(join(root, 'public', 'icon.svg'), 'utf8');
  const drawn = shape ? svg.replace(/<rect[^>]*>/, '').replaceAll('#7fb8ff', '#fff') : svg;
  const side = `${Math.round(size * scale)}px`;
  return `<style>html{background:${background}}body{margin:0;height:${size}px;display:grid;place-items:center}
    svg{width:${side};height:${side}}</style>${drawn}`;
}

async function drawIcons(browser) {
  for (const icon of icons) {
    const page = await browser.newPage({ viewport: { width: icon.size, height: icon.size } });
    await page.setContent(iconPage(icon));
    const picture = await page.screenshot({ omitBackground: true });
    writeFileSync(join(root, 'public', icon.file), picture);
    await page.close();
  }
}

async function takeScreens(browser) {
  const server = await serveFixture(0);
  const { port } = server.httpServer.address();
  const pictures = [];
  for (const { file, width, height, scale, path } of screens) {
    const viewport = { width, height };
    const context = await browser.newContext({ viewport, deviceScaleFactor: scale, colorScheme: 'dark' });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}${path}`);
    await page.getByRole('log').locator('.entry').first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    pictures.push({ file, picture: await page.screenshot({ animations: 'disabled' }) });
    await context.close();
  }
  // The server watches the folder that they are written into.
  await server.close();
  for (const { file, picture } of pictures) writeFileSync(join(root, 'public', file), picture);
}

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
await drawIcons(browser);
await takeScreens(browser);
await browser.close();
