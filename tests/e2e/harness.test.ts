import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, withScreenshot } from '../support/browser.ts';

const html = `<!doctype html><title>harness</title><h1>Hello</h1><script src="/page.js"></script><script>document.title = 'inline ran'</script>`;
const script = `console.error('said so'); setTimeout(() => { throw new Error('thrown') })`;
const server = createServer((request, response) => {
  response.setHeader('content-security-policy', "default-src 'self'");
  if (request.url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
  else response.setHeader('content-type', 'text/html').end(html);
});
let browser: Browser;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('[W44] errors, exceptions and policy violations of a page are seen by its test', async () => {
  const { page, problems } = await openPage(browser, address());
  await expect.poll(() => problems.errors).toEqual(['said so', 'thrown']);
  await expect.poll(() => problems.violations.length).toBe(1);
  expect(await page.title()).toBe('harness');
  expect(problems.foreign).toEqual([]);
});

test('[W44] a failed test keeps a picture of its page', async () => {
  const { page } = await openPage(browser, address());
  const failed = withScreenshot(page, 'harness picture', () => Promise.reject(new Error('as scripted')));
  await expect(failed).rejects.toThrow('as scripted\nscreenshot: /tmp/gsv-screenshots/harness-picture.png');
  expect(existsSync('/tmp/gsv-screenshots/harness-picture.png')).toBe(true);
});
