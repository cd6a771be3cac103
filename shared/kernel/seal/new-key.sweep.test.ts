import { expect, test } from 'vitest';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { Keyring } from './keyring.ts';

const keysOf = (browser: TestBrowser) => browser.kernel.disk.secrets.get('seal/keyring') ?? '';

test('[S167] a kill at any moment of making a new key leaves all browsers with the same keys', async () => {
  const { gsv, founder } = await GsvInMemory.start({ sealed: true });
  const other = await gsv.invited(founder);
  let moments = 0;
  for (let wasKilled = true; wasKilled; moments += 3) {
    const before = Keyring.parse(keysOf(founder));
    wasKilled = await gsv.killedDuring(founder, moments, () => founder.page.call('sys.seal.rotate', {}));
    await gsv.write(other, '/home/ada/other.txt', `other ${moments}`);
    await gsv.write(founder, '/home/ada/founder.txt', `founder ${moments}`);
    await gsv.reads(founder, '/home/ada/other.txt', `other ${moments}`);
    await gsv.reads(other, '/home/ada/founder.txt', `founder ${moments}`);
    await gsv.until(() => keysOf(founder) === keysOf(other), 'both have the same keys');
    expect(Keyring.parse(keysOf(other)).continues(before)).toBe(true);
  }
  expect(moments).toBeGreaterThan(4);
  expect(Keyring.parse(keysOf(founder)).epoch).toBeGreaterThan(1);
}, 60_000);
