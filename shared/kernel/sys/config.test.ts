import { describe, expect, test } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { SEALED } from './config.ts';

const KEY = 'users/1000/ai/api_key';
const value = async (page: TestPage, key: string): Promise<string | undefined> =>
  (await page.call('sys.config.get', { key })).entries.find((entry) => entry.key === key)?.value;

async function withRoot() {
  const kernel = new TestKernel();
  await kernel.ready();
  kernel.kill();
  const root = await kernel.addAccount({ uid: 0, username: 'root', gids: [0] });
  await kernel.boot();
  return { kernel, user: await kernel.signedIn(), root: await kernel.signedIn(root) };
}

describe('secrets', () => {
  test('[K24] a value under a sensitive name is kept in the vault and never read back', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: KEY, value: 'sk-top-secret-value' });
    expect(await value(page, KEY)).toBe(SEALED);
    const read = await page.call('fs.read', { path: `/sys/config/${KEY}` });
    expect(JSON.stringify(read)).toContain(SEALED);
    expect(JSON.stringify(read)).not.toContain('sk-top');
    const disk = kernel.disk.updates.map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join('');
    expect(disk).toContain(SEALED);
    expect(disk).not.toContain('sk-top-secret-value');
    expect(kernel.disk.secrets.get(`config:${KEY}`)).toBe('sk-top-secret-value');

    await page.run('hi');
    expect(kernel.models.requests[0]?.choice.apiKey).toBe('sk-top-secret-value');
    await page.call('sys.config.set', { key: KEY, value: '' });
    expect([await value(page, KEY), kernel.disk.secrets.has(`config:${KEY}`)]).toEqual([undefined, false]);
  });

  test('[K24] root sees that there is one, and no more', async () => {
    const { user, root } = await withRoot();
    await user.call('sys.config.set', { key: KEY, value: 'sk-top-secret-value' });
    await root.call('sys.config.set', { key: 'config/ai/api_key', value: 'sk-of-all' });
    for (const key of [KEY, 'config/ai/api_key']) expect(await value(root, key)).toBe(SEALED);
    expect(await value(user, 'config/ai/api_key')).toBeUndefined();
    const { entries } = await user.call('sys.config.get', {});
    expect(entries.some(({ key }) => key === 'config/ai/api_key')).toBe(false);
  });

  test('[K25] a stored key is sent only to the provider and address that it was stored with', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: KEY, value: 'sk-one' });
    await page.call('sys.config.set', { key: 'users/1000/ai/base_url', value: 'https://one.example/v1' });
    await page.call('ai.test', { provider: 'scripted', model: 'm' });
    await page.call('ai.test', { provider: 'other', model: 'm' });
    await page.call('ai.test', { provider: 'scripted', model: 'm', baseUrl: 'https://evil.example' });
    await page.call('ai.test', { provider: 'other', model: 'm', apiKey: 'sk-two' });
    expect(kernel.models.requests.map(({ choice }) => choice.apiKey)).toEqual(['sk-one', '', '', 'sk-two']);
    expect(kernel.models.requests[0]?.choice.baseUrl).toBe('https://one.example/v1');
  });

  test('[K25] the number of tokens a model may write is no secret', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: 'users/1000/ai/max_tokens', value: '1234' });
    expect(await value(page, 'users/1000/ai/max_tokens')).toBe('1234');
    await page.run('hi');
    expect(kernel.models.requests[0]?.maxTokens).toBe(1234);
    for (const key of ['ai/github_token', 'ai/password', 'ai/my_secret_x', 'ai/apikey', 'ai/tokens/x']) {
      await page.call('sys.config.set', { key: `users/1000/${key}`, value: 'hidden' });
      expect(await value(page, `users/1000/${key}`)).toBe(SEALED);
    }
  });
});

describe('who may', () => {
  test('[K26] a user writes below their own ai/ and reads their own and what is public', async () => {
    const { user, root } = await withRoot();
    await root.call('sys.config.set', { key: 'users/1001/ai/model', value: 'theirs' });
    await user.call('sys.config.set', { key: 'users/1000/ai/model', value: 'mine' });
    for (const key of [
      'config/server/name',
      'users/1001/ai/model',
      'users/1000/theme',
      'users/10000/ai/x',
      'users/1000/ai',
    ]) {
      await expect(user.call('sys.config.set', { key, value: 'x' })).rejects.toMatchObject({ code: 403 });
      const written = await user.call('fs.write', { path: `/sys/config/${key}`, content: 'x' });
      expect(written.ok, key).toBe(false);
    }
    expect(await value(user, 'users/1001/ai/model')).toBeUndefined();
    expect(await value(user, 'config/server/name')).toBe('gsv');
    expect(await value(root, 'users/1000/ai/model')).toBe('mine');
    const keys = (await user.call('sys.config.get', { key: 'users/1' })).entries;
    expect(keys, 'a prefix ends at a slash').toEqual([]);
  });

  test('[K26] /sys/config is the same rules as files', async () => {
    const { user, root } = await withRoot();
    const path = '/sys/config/users/1000/ai/model';
    expect(await user.call('fs.write', { path, content: 'by file\n' })).toMatchObject({ ok: true });
    expect(await value(user, 'users/1000/ai/model')).toBe('by file');
    expect(
      await root.call('fs.write', { path: '/sys/config/config/server/name', content: 'home' }),
    ).toMatchObject({ ok: true });
    expect(await value(user, 'config/server/name')).toBe('home');
    expect(await user.call('fs.read', { path: '/sys/config/users/1001' })).toMatchObject({ ok: false });
  });

  test('[K27] an agent can neither loosen its own approval policy nor send its key elsewhere', async () => {
    const policy = 'users/1000/ai/tools/approval';
    const free = '{"default":"auto","rules":[]}';
    const kernel = new TestKernel((_request, turn) => {
      if (turn === 0)
        return calls({
          name: 'Write',
          args: { target: 'gsv', path: `/sys/config/${policy}`, content: free },
        });
      if (turn === 1) {
        const path = '/sys/config/users/1000/ai/base_url';
        return calls({ name: 'Write', args: { target: 'gsv', path, content: 'https://evil.example' } });
      }
      return says('done');
    });
    const page = await kernel.ready();
    expect(await page.run('go')).toMatchObject({ status: 'ok' });
    const results = kernel.models.requests[2]?.messages.filter(({ role }) => role === 'toolResult');
    expect(results).toMatchObject([{ isError: true }, { isError: true }]);
    expect([await value(page, policy), await value(page, 'users/1000/ai/base_url')]).toEqual([
      undefined,
      undefined,
    ]);
    await page.call('sys.config.set', { key: policy, value: free });
    expect(await value(page, policy)).toBe(free);
  });

  test('[K27] a change is acknowledged when it is on disk', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    await page.call('sys.config.set', { key: 'users/1000/ai/model', value: 'two' });
    const after = await kernel.restart();
    expect(await value(after, 'users/1000/ai/model')).toBe('two');
    kernel.disk.refuse = new Error('full');
    await expect(
      after.call('sys.config.set', { key: 'users/1000/ai/model', value: 'three' }),
    ).rejects.toMatchObject({ code: 507 });
  });
});

test('[U287] whom push services can reach is a mail or https address of the person’s own, and nothing else', async () => {
  const { user, root } = await withRoot();
  const key = 'users/1000/push/contact';
  const set = (page: TestPage, given: string, at = key) =>
    page.call('sys.config.set', { key: at, value: given });
  for (const wrong of [
    'ada',
    'mailto:ada',
    'mailto:a b@example.org',
    'http://example.org',
    'javascript:alert(1)',
  ])
    await expect(set(user, wrong)).rejects.toThrow('begins with mailto: or https:');
  await expect(set(root, 'ada')).rejects.toThrow('begins with mailto: or https:');
  await expect(set(user, 'mailto:a@example.org', 'users/1001/push/contact')).rejects.toThrow('Permission');
  await set(user, 'mailto:ada@example.org');
  expect(await value(user, key)).toBe('mailto:ada@example.org');
  await set(user, '');
});
