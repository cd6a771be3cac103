import { expect, test } from 'vitest';
import { hostileFrames } from '../../tests/support/hostile-frames.ts';
import { TestKernel, type TestPage } from '../../tests/support/kernel.ts';
import { turn } from '../../tests/support/turns.ts';

const PER_PAGE = 20;

/** What a port may carry that JSON cannot. */
function foreign(): unknown[] {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`);
  return [
    circle,
    new Map([[1, 2]]),
    new Date(Number.NaN),
    10n,
    undefined,
    new Error('x'),
    { type: 'req', id: '1', call: 'fs.read', args: circle },
    { type: 'req', id: '1', call: 'fs.read', args: { path: deep } },
    { type: 'req', id: '1', call: 'proc.send', args: { message: new Map() } },
    { type: 'close', reason: 7 },
    new Uint8Array(3),
    new Uint8Array(70_000),
  ];
}

/** A frame as a page could post it: mostly objects, some text and bytes as they are. */
function messages(seed: number, count: number): unknown[] {
  const strange = foreign();
  return hostileFrames(seed, count).map((frame, at) => {
    if (at % 50 === 0) return strange[(at / 50) % strange.length];
    if (typeof frame !== 'string' || at % 3 === 0) return frame;
    try {
      return JSON.parse(frame) as unknown;
    } catch {
      return frame;
    }
  });
}

async function state(page: TestPage): Promise<string> {
  const [config, processes, tokens, history, home] = await Promise.all([
    page.call('sys.config.get', {}),
    page.call('proc.list', {}),
    page.call('sys.token.list', {}),
    page.history(),
    page.call('shell.exec', { input: 'ls -laR ~' }),
  ]);
  return JSON.stringify([config, processes, tokens, history, home]);
}

test('[K45] 10,000 malformed or hostile frames at the port change nothing and stop nobody', async () => {
  const kernel = new TestKernel();
  const good = await kernel.ready();
  await good.run('before');
  const before = await state(good);
  const stored = kernel.disk.updates.length;
  const frames = messages(20_261_121, 10_000);
  let closed = 0;
  for (let at = 0; at < frames.length; at += PER_PAGE) {
    const inside = (at / PER_PAGE) % 2 === 0;
    const page = inside ? await kernel.signedIn() : kernel.page();
    void page.closed.then(() => {
      closed += 1;
    });
    for (const frame of frames.slice(at, at + PER_PAGE)) page.port.postMessage(frame);
    if (at % 1000 === 0) await turn();
  }
  expect(await state(good)).toBe(before);
  expect(closed, 'pages that sent what is no frame').toBeGreaterThan(490);
  await good.call('sys.config.set', { key: 'users/1000/ai/model', value: 'one' });
  expect(kernel.disk.updates.length - stored, 'what that one write took').toBeLessThanOrEqual(1);
  expect(await good.run('after')).toMatchObject({ status: 'ok' });
  const after = await kernel.restart();
  expect((await after.history()).messageCount).toBe(4);
}, 30_000);
