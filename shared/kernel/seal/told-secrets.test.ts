import { expect, test } from 'vitest';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { ADA } from '../../../tests/support/kernel.ts';
import { isLeftOut } from '../backup/left-out.ts';

const PROVIDER = 'openai';

async function give(gsv: GsvInMemory, { page }: TestBrowser, key: string): Promise<void> {
  for (const [name, value] of Object.entries({ provider: PROVIDER, api_key: key }))
    await gsv.passing(page.call('sys.config.set', { key: `users/1000/ai/${name}`, value }));
}

/** The key that a browser would show to the provider. */
async function used(gsv: GsvInMemory, { page, kernel }: TestBrowser): Promise<string | undefined> {
  await gsv.passing(page.call('ai.test', { provider: PROVIDER, model: 'a model' }));
  return kernel.models.requests.at(-1)?.choice.apiKey;
}

const uses = (gsv: GsvInMemory, browser: TestBrowser, key: string) =>
  gsv.until(async () => (await used(gsv, browser)) === key, `${key || 'none'} is used`);

test('[K201] in a sealed GSV the newest key is every browser’s, one that was taken away is nobody’s, and its server has none', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  await give(gsv, founder, 'sk-first');
  const second = await gsv.invited(founder);
  await uses(gsv, second, 'sk-first');
  await give(gsv, second, 'sk-second');
  await uses(gsv, founder, 'sk-second');
  await gsv.restarted(founder);
  expect(await used(gsv, founder)).toBe('sk-second');
  for (const browser of [founder, second]) await gsv.everythingStored(browser);
  expect(gsv.room.storage.dump()).not.toContain('sk-');
  await give(gsv, founder, '');
  await uses(gsv, second, '');
});

test('[K202] a password that was changed counts in every browser of a sealed GSV, in this one alone elsewhere', async () => {
  for (const sealed of [true, false]) {
    const { gsv, founder } = await GsvInMemory.start({ sealed });
    const second = await gsv.invited(founder);
    const change = (password: string) =>
      gsv.passing(founder.page.call('sys.password.change', { password, next: 'another horse' }));
    await expect(change('wrong')).rejects.toMatchObject({ code: 403 });
    expect(await change(ADA.password)).toEqual({ everywhere: sealed });
    for (const browser of [founder, second]) await gsv.everythingStored(browser);
    const opens = ({ kernel }: TestBrowser, password: string): Promise<boolean> =>
      gsv.passing(kernel.page().connect({ ...ADA, password })).then(
        () => true,
        () => false,
      );
    await gsv.until(async () => (await opens(second, 'another horse')) === sealed, 'the password is known');
    expect([await opens(founder, 'another horse'), await opens(founder, ADA.password)]).toEqual([
      true,
      false,
    ]);
    expect(await opens(second, ADA.password)).toBe(!sealed);
    expect(gsv.room.storage.dump()).not.toContain('scrypt');
  }
});

test('[K201] whoever seals a GSV tells the keys that it has', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: false });
  const second = await gsv.invited(founder);
  await give(gsv, founder, 'sk-before');
  await gsv.everythingStored(founder);
  expect(await used(gsv, second)).toBe('');
  await gsv.passing(founder.page.call('sys.seal.start', {}));
  for (const browser of [founder, second]) await gsv.hasKey(browser, 1);
  await uses(gsv, second, 'sk-before');
  expect(gsv.room.storage.dump()).not.toContain('sk-');
});

test('[K201] what is not sealed stays in the browser that it was given to, and no file holds any', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: false });
  const second = await gsv.invited(founder);
  await give(gsv, founder, 'sk-here');
  for (const browser of [founder, second]) await gsv.everythingStored(browser);
  expect([await used(gsv, founder), await used(gsv, second)]).toEqual(['sk-here', '']);
  expect(gsv.room.storage.dump()).not.toContain('sk-');
  expect(isLeftOut('system', 'secrets')).toBe(true);
});
