import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withScreenshot } from '../support/browser.ts';
import { text, tool } from '../support/model-replies.ts';
import { kept } from '../support/profile.ts';
import { PushBrowser } from '../support/push-browser.ts';
import { PushService } from '../support/push-service.ts';
import { answered, say, World } from '../support/world.ts';

/** The browser's own part is scripted: Chromium subscribes with its maker's service alone. */
let world: World;
let page: Page;
let browser: PushBrowser;
let service: PushService;

beforeAll(async () => {
  browser = await PushBrowser.create();
  [world, service] = await Promise.all([World.start({ readable: true }), PushService.start(browser)]);
  ({ page } = await world.open(undefined, undefined, { permissions: ['notifications'] }));
  await page.addInitScript(subscribeScripted, browser.subscription(service.url));
  await page.reload();
  await withScreenshot(page, 'push-set-up', () => world.setUp(page));
  await kept(page);
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});

/** Lets the agent tell its person something, approved where that is asked. */
async function tell(command: string, answer: string): Promise<void> {
  world.model.enqueue(tool('Shell', { target: 'gsv', input: command }), text(answer));
  await say(page, `say: ${answer}`);
  const approve = page.getByRole('button', { name: /^Approve/ });
  const done = page.getByRole('log').getByText(answer, { exact: true });
  await approve.or(done).first().waitFor();
  if (await approve.isVisible()) await approve.click();
  await answered(page, answer);
}

/** Nobody looks at the page, or somebody does again; the driver of these pages has no way to do it. */
function hide(hidden: Page, away: boolean): Promise<void> {
  return hidden.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    away ? 'hidden' : 'visible',
  );
}

/** Delivers a message as the browser does, to the page's service worker. */
async function deliver(data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [found] = registrations;
      if (found) resolve(found.registrationId);
    }),
  );
  await session.send('ServiceWorker.enable');
  const registrationId = await registration;
  await session.send('ServiceWorker.deliverPushMessage', { origin: world.server.url, registrationId, data });
}

/** Presses “Approve” in the notification with this tag; its own window is the system's. */
async function approveIn(tag: string): Promise<void> {
  const worker = page.context().serviceWorkers().at(-1);
  await worker?.evaluate(async (wanted) => {
    type Scope = { registration: ServiceWorkerRegistration; dispatchEvent(event: Event): boolean };
    type Made = new (type: string, init: { notification: unknown; action: string }) => Event;
    const { registration } = self as unknown as Scope;
    const { NotificationEvent } = self as unknown as { NotificationEvent: Made };
    const [notification] = await registration.getNotifications({ tag: wanted });
    (self as unknown as Scope).dispatchEvent(
      new NotificationEvent('notificationclick', { notification, action: 'approve' }),
    );
  }, tag);
}

/** In the page: a subscription whose keys the test has. */
function subscribeScripted(made: { endpoint: string; p256dh: string; auth: string }): void {
  const { endpoint, ...keys } = made;
  const subscription = {
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      localStorage.removeItem('test.subscribed');
      return true;
    },
  };
  PushManager.prototype.subscribe = async (options) => {
    if (!options?.userVisibleOnly || (options.applicationServerKey as Uint8Array).length !== 65)
      throw new Error('Not how browsers are asked');
    localStorage.setItem('test.subscribed', 'yes');
    return subscription as unknown as PushSubscription;
  };
  PushManager.prototype.getSubscription = async () =>
    localStorage.getItem('test.subscribed') ? (subscription as unknown as PushSubscription) : null;
}

const step = (name: string, run: () => Promise<void>): void => {
  test(name, () => withScreenshot(page, name, run));
};

step(
  '[R122] turned on in the settings, news reaches the browser’s push service, sealed for this browser',
  async () => {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Appearance' }).click();
    await page.getByRole('button', { name: 'Tell this browser' }).click();
    await page.getByText(/^The server tells this browser/).waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await tell('notify "You are looking"', 'Told you.');
    await page.waitForTimeout(4_000);
    expect(service.messages).toEqual([]);
    await hide(page, true);
    await tell('notify "The safe word is walnut"', 'Told.');
    await service.count(1);
    expect(service.messages[0]).toMatchObject({ kind: 'news', waiting: 1 });
    expect(JSON.stringify(service.messages[0])).not.toContain('walnut');
  },
);

step('[U165] the service worker shows what was pushed, without any page’s help', async () => {
  await deliver(JSON.stringify({ id: 'approval:7', kind: 'approval', pid: 'init:1000', waiting: 1 }));
  const shown = (): Promise<unknown> =>
    page.evaluate(async () =>
      (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, tag, data }) => ({
        title,
        tag,
        data,
      })),
    );
  await expect.poll(shown, { timeout: 5_000 }).toContainEqual({
    title: 'GSV waits for your approval',
    tag: 'approval:7',
    data: { open: '/chat/init%3A1000', approve: { pid: 'init:1000', notificationId: 'approval:7' } },
  });
});

step('[U171] an approval that waits is pushed, and approved from its notification', async () => {
  world.model.enqueue(
    tool('Shell', { target: 'gsv', input: 'rm -rf ./nothing-here' }),
    text('Gone, as you approved.'),
  );
  const before = service.messages.length;
  await hide(page, true);
  await say(page, 'tidy up');
  await service.count(before + 1);
  const pushed = service.messages.at(-1) as { id: string; kind: string; pid: string };
  expect([pushed.kind, pushed.pid]).toEqual(['approval', 'init:1000']);
  await deliver(JSON.stringify(pushed));
  const titles = (): Promise<number> =>
    page.evaluate(
      async (tag) => (await (await navigator.serviceWorker.ready).getNotifications({ tag })).length,
      pushed.id,
    );
  await expect.poll(titles, { timeout: 5_000 }).toBe(1);
  expect(await page.getByRole('log').getByText('Gone, as you approved.').count()).toBe(0);
  await approveIn(pushed.id);
  await answered(page, 'Gone, as you approved.');
});

step('[R128] turned off, nothing more is sent', async () => {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Appearance' }).click();
  await page.getByRole('button', { name: 'Stop telling it' }).click();
  await page.getByRole('button', { name: 'Tell this browser' }).waitFor();
  const before = service.messages.length;
  await page.getByRole('link', { name: 'Chat' }).click();
  await tell('notify again', 'Told again.');
  await page.waitForTimeout(4_000);
  expect(service.messages).toHaveLength(before);
});

step('[U287] the person says whom push services can reach', async () => {
  await page.goto(`${world.server.url}/settings/appearance`);
  const field = page.getByLabel('Your address, for push services');
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await field.fill('ada');
  await save.click();
  await page.getByText('A mail address, or one that begins with https:.').waitFor();
  await field.fill('ada@example.org');
  await save.click();
  await page.getByText('The address is saved.').waitFor();
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe('ada@example.org');
});
