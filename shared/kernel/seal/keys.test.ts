import { describe, expect, test } from 'vitest';
import { MemoryDisk } from '../../../tests/support/memory-storage.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { Keyring } from './keyring.ts';
import { Keys } from './keys.ts';

describe('the keys of this browser', () => {
  test('[K180] keys are stored before anybody hears of them, and are there after a restart', async () => {
    const disk = new MemoryDisk();
    const keys = await Keys.load(disk.vault());
    expect(keys.keyring).toBeNull();
    const heard: (string | undefined)[] = [];
    const stop = keys.onChange(() => heard.push(disk.secrets.get('seal/keyring')));
    const keyring = Keyring.make(realRandom);
    await keys.set(keyring);
    expect(heard).toEqual([keyring.text]);
    expect((await Keys.load(disk.vault())).keyring?.text).toBe(keyring.text);
    stop();
    await keys.forget();
    expect(keys.keyring).toBeNull();
    expect((await Keys.load(disk.vault())).keyring).toBeNull();
    expect(heard).toHaveLength(1);
  });

  test('[K180] keys that a full disk refuses are not used', async () => {
    const vault = { ...new MemoryDisk().vault(), put: () => Promise.reject(new Error('full')) };
    const keys = await Keys.load({ ...vault, get: async () => undefined, delete: async () => {} });
    await expect(keys.set(Keyring.make(realRandom))).rejects.toThrow('full');
    expect(keys.keyring).toBeNull();
  });
});
