import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenPage, withScreenshot } from '../support/browser.ts';
import { text, tool, tools } from '../support/model-replies.ts';
import { answered, say, toolResults, World } from '../support/world.ts';

let world: World;
let open: OpenPage;
let page: Page;
let workspace: string;

beforeAll(async () => {
  world = await World.start();
  open = await world.open();
  page = open.page;
  await withScreenshot(page, 'set-up', async () => {
    await world.setUp(page);
    ({ workspace } = await world.addDevice(page));
  });
  writeFileSync(join(workspace, 'notes.txt'), 'alpha\nbeta\n');
});
afterAll(() => world.stop());

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

step('[A60] a chat is answered', async () => {
  world.model.enqueue(text('Hello Ada, what shall we do?'));
  await say(page, 'hello');
  await answered(page, 'Hello Ada, what shall we do?');
});

step('[A61] the agent lists, reads, edits and searches files on the workstation', async () => {
  world.model.enqueue(
    tools([
      { name: 'Read', args: { target: 'box', path: '.' } },
      { name: 'Read', args: { target: 'box', path: 'notes.txt' } },
    ]),
    tool('Edit', { target: 'box', path: 'notes.txt', oldString: 'beta', newString: 'gamma' }),
    tool('Search', { target: 'box', query: 'gamma' }),
    text('Changed beta to gamma.'),
  );
  await say(page, 'change beta to gamma in notes.txt');
  await answered(page, 'Changed beta to gamma.');
  expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('alpha\ngamma\n');
  const results = toolResults(world.model);
  expect(results.slice(-4).join('\n')).toContain('notes.txt');
  expect(results.at(-1)).toContain('gamma');
});

step('[A62] a denied command does not run and the model is told', async () => {
  world.model.enqueue(tool('Shell', { target: 'box', input: 'rm notes.txt' }), text('Then I leave it.'));
  await say(page, 'delete notes.txt');
  await page.getByRole('button', { name: 'Deny' }).click();
  await answered(page, 'Then I leave it.');
  expect(existsSync(join(workspace, 'notes.txt'))).toBe(true);
  expect(toolResults(world.model).at(-1)).toContain('denied');
});

step('[A63] an approved command runs', async () => {
  world.model.enqueue(tool('Shell', { target: 'box', input: 'mkdir made' }), text('Made it.'));
  await say(page, 'make a folder');
  await page.getByRole('button', { name: 'Approve' }).click();
  await answered(page, 'Made it.');
  expect(existsSync(join(workspace, 'made'))).toBe(true);
});

step('[A64] a remembered command does not ask again, and can be revoked', async () => {
  world.model.enqueue(tool('Shell', { target: 'box', input: 'touch one' }), text('First done.'));
  await say(page, 'touch one');
  await page.getByRole('button', { name: /^Remember/ }).click();
  await answered(page, 'First done.');
  world.model.enqueue(tool('Shell', { target: 'box', input: 'touch one' }), text('Second done.'));
  await say(page, 'again');
  await answered(page, 'Second done.');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: /^Ask again for touch one/ }).click();
  await page.getByText('Nothing is remembered.').waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
});

step('[A65] a long command is polled by its session', async () => {
  const flag = join(workspace, 'go');
  world.model.enqueue(
    tool('Shell', { target: 'box', input: `while [ ! -e ${flag} ]; do sleep 0.05; done; echo finished` }),
  );
  world.model.respond((request) => {
    const last = JSON.stringify(request.body.messages.at(-1)?.content ?? '');
    const session = /sessionId (\S+?)\]/.exec(last)?.[1];
    if (!session) return text('The command has finished.');
    writeFileSync(flag, '');
    return tool('Shell', { target: 'box', input: '', sessionId: session });
  });
  await say(page, 'wait for it');
  await answered(page, 'The command has finished.');
  expect(toolResults(world.model).at(-1)).toContain('finished');
});

step('[A86] what a running command prints is shown before it ends', async () => {
  const flag = join(workspace, 'enough');
  world.model.enqueue(
    tool('Shell', { target: 'box', input: `echo first line; while [ ! -e ${flag} ]; do sleep 0.05; done` }),
    text('Printed and ended.'),
  );
  await say(page, 'print something');
  await page.getByRole('log').locator('pre', { hasText: 'first line' }).waitFor();
  expect(await page.getByText('Printed and ended.').count()).toBe(0);
  writeFileSync(flag, '');
  await answered(page, 'Printed and ended.');
});

step('[U74] how much GSV asks is chosen in the settings, and holds at once', async () => {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByLabel('GSV asks').selectOption({ label: 'Before everything but reading' });
  await page.getByText('Every write and every command is asked for.').waitFor();
  await page.getByRole('link', { name: 'Chat' }).click();
  world.model.enqueue(tool('Shell', { target: 'box', input: 'ls' }), text('Listed after asking.'));
  await say(page, 'list');
  await page.getByRole('button', { name: 'Approve' }).click();
  await answered(page, 'Listed after asking.');
});

test('[U59] nothing of all this raised an error or broke the content security policy', () => {
  expect(open.problems).toMatchObject({ errors: [], violations: [] });
});
