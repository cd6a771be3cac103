import { describe, expect, test } from 'vitest';
import { editTables, readTables } from '../../../tests/support/edit-doc.ts';
import { GsvInMemory, type TestBrowser } from '../../../tests/support/gsv-in-memory.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { EntryCipher } from './entry-cipher.ts';
import { forgetKeys } from './forget-keys.ts';
import { Keyring } from './keyring.ts';
import { Keys } from './keys.ts';

describe('a sealed GSV', () => {
  test('[S160] is sealed from its setup on: the server holds its files and settings, and reads none of them', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    await gsv.write(founder, '/home/ada/planted-name.txt', 'planted-content');
    await gsv.everythingStored(founder);
    expect(await founder.page.call('sys.seal.get', {})).toMatchObject({
      ...{ sealed: true, epoch: 1, phrase: 'none', resealing: null, faults: [] },
    });
    const dump = gsv.room.storage.dump();
    expect(dump).toContain('ada');
    expect(dump).not.toContain('planted');
  });

  test('[S160] is not sealed when that was not asked for', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: false });
    await gsv.write(founder, '/home/ada/planted-name.txt', 'planted-content');
    await gsv.everythingStored(founder);
    expect(await founder.page.call('sys.seal.get', {})).toMatchObject({
      sealed: false,
      epoch: 0,
      gsvId: null,
    });
    expect(gsv.room.storage.dump()).toContain('planted');
  });

  test('[S161] a browser that was invited has the keys, and both read what the other writes', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    await gsv.write(founder, '/home/ada/one.txt', 'from the first');
    const second = await gsv.invited(founder);
    await gsv.reads(second, '/home/ada/one.txt', 'from the first');
    await gsv.write(second, '/home/ada/two.txt', 'from the second');
    await gsv.reads(founder, '/home/ada/two.txt', 'from the second');
    expect(await second.page.call('sys.seal.get', {})).toMatchObject({ sealed: true, epoch: 1 });
  });
});

describe('new keys', () => {
  test('[S162] a browser that was shut out reads nothing that is written after it', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const stays = await gsv.invited(founder);
    const goes = await gsv.invited(founder);
    const { replicaId } = await goes.page.call('sys.status', {});
    const old = goes.kernel.disk.secrets.get('seal/keyring') ?? '';
    await gsv.passing(founder.page.call('sys.replica.revoke', { replicaId }));
    await gsv.hasKey(founder, 2);
    await gsv.hasKey(stays, 2);
    await gsv.write(stays, '/home/ada/after.txt', 'after the parting');
    await gsv.reads(founder, '/home/ada/after.txt', 'after the parting');
    await gsv.everythingStored(founder);
    await gsv.everythingStored(stays);

    const now = stays.kernel.disk.secrets.get('seal/keyring') ?? '';
    expect(await readable(gsv, now, 'fs')).toContain('after the parting');
    expect(await readable(gsv, old, 'fs')).not.toContain('after the parting');
  });

  test('[S162] one that had not said yet that it has the keys is shut out of new ones as well', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const goes = await gsv.invited(founder);
    const { replicaId } = await goes.page.call('sys.status', {});
    goes.host.cut();
    founder.kernel.kill();
    editTables(founder.kernel.disk, ({ members }) => members.delete(replicaId));
    await gsv.passing(founder.kernel.boot());
    founder.page = founder.kernel.page();
    await gsv.passing(founder.page.connect());
    await gsv.everythingStored(founder);
    await gsv.passing(founder.page.call('sys.replica.revoke', { replicaId }));
    await gsv.hasKey(founder, 2);
  });

  test('[S162] what there was is sealed anew: the older keys read nothing at all of it', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    await gsv.write(founder, '/home/ada/before.txt', 'before the new key');
    await gsv.write(founder, '/home/ada/large.txt', 'large '.repeat(5_000));
    await gsv.everythingStored(founder);
    const blobs = gsv.blobs();
    expect(blobs).toHaveLength(1);
    const old = founder.kernel.disk.secrets.get('seal/keyring') ?? '';
    expect(await readable(gsv, old, 'fs')).toContain('before the new key');
    expect(await gsv.passing(founder.page.call('sys.seal.rotate', {}))).toEqual({ epoch: 2 });
    await gsv.until(async () => (await readable(gsv, old, 'fs')) === '', 'it is sealed anew');
    await gsv.everythingStored(founder);
    expect(gsv.logs()).toContain('system');
    for (const name of gsv.logs()) expect(await readable(gsv, old, name), name).toBe('');
    await gsv.until(
      async () => (await founder.page.call('sys.seal.get', {})).resealing === null,
      'all of it is',
    );
    expect(gsv.blobs()).toHaveLength(1);
    expect(gsv.blobs()).not.toEqual(blobs);
    const later = await gsv.invited(founder);
    await gsv.reads(later, '/home/ada/before.txt', 'before the new key');
    await gsv.reads(later, '/home/ada/large.txt', 'large large');
  });

  test('[K183] a browser that was shut out forgets the keys, unless nobody else has them', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const goes = await gsv.invited(founder);
    const { replicaId } = await goes.page.call('sys.status', {});
    await gsv.passing(founder.page.call('sys.replica.revoke', { replicaId }));
    const forgotten = (): boolean => goes.kernel.disk.secrets.get('seal/keyring') === undefined;
    await gsv.until(forgotten, 'the keys are forgotten');
    expect(founder.kernel.disk.secrets.has('seal/keyring')).toBe(true);
    const [tables, only] = [readTables(founder.kernel.disk), await Keys.load(founder.kernel.disk.vault())];
    const members = tables.members.rows().filter((row) => row.replicaId !== replicaId);
    expect(members).toHaveLength(1);
    await forgetKeys({ tables, keys: only, self: members[0]?.replicaId ?? '' });
    expect(only.keyring).not.toBeNull();
  });

  test('[S163] a browser that was away during several new keys gets them all, and its own changes arrive', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const away = await gsv.invited(founder);
    away.host.cut();
    await gsv.write(away, '/home/ada/away.txt', 'written while away');
    for (const epoch of [2, 3, 4]) {
      expect(await gsv.passing(founder.page.call('sys.seal.rotate', {}))).toEqual({ epoch });
    }
    await gsv.write(founder, '/home/ada/here.txt', 'written meanwhile');
    away.host.mend();
    await gsv.hasKey(away, 4);
    await gsv.reads(away, '/home/ada/here.txt', 'written meanwhile');
    await gsv.reads(founder, '/home/ada/away.txt', 'written while away');
  });

  test('[S163] two that make a new key at once end with the same ones', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const other = await gsv.invited(founder);
    await gsv.passing(
      Promise.allSettled([founder.page.call('sys.seal.rotate', {}), other.page.call('sys.seal.rotate', {})]),
    );
    const same = async (): Promise<boolean> =>
      founder.kernel.disk.secrets.get('seal/keyring') === other.kernel.disk.secrets.get('seal/keyring');
    await gsv.until(same, 'both have the same keys');
    await gsv.write(other, '/home/ada/both.txt', 'one key');
    await gsv.reads(founder, '/home/ada/both.txt', 'one key');
  });
});

describe('kills', () => {
  const keysOf = (browser: TestBrowser) => browser.kernel.disk.secrets.get('seal/keyring') ?? '';

  test('[S167] what is being sealed anew goes on after a kill, and is whole at its end', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    for (const name of ['one', 'two', 'three']) {
      await gsv.passing(
        founder.page.call('proc.spawn', { profile: 'task', label: name, prompt: `hello ${name}` }),
      );
    }
    await gsv.everythingStored(founder);
    const old = keysOf(founder);
    const isOver = async (): Promise<boolean> => {
      const { epoch, resealing } = await founder.page.call('sys.seal.get', {});
      return epoch === 2 && resealing === null;
    };
    await gsv.passing(founder.page.call('sys.seal.rotate', {}));
    for (const moments of [3, 6, 9]) {
      const goingOn = () => gsv.until(isOver, 'it is sealed anew');
      await gsv.killedDuring(founder, moments, goingOn);
    }
    await gsv.until(isOver, 'it is sealed anew');
    await gsv.everythingStored(founder);
    expect(gsv.logs().length).toBeGreaterThan(6);
    for (const name of gsv.logs()) expect(await readable(gsv, old, name), name).toBe('');
  });
});

describe('the recovery phrase', () => {
  const phraseOf = async (gsv: GsvInMemory, browser: TestBrowser): Promise<string[]> =>
    (await gsv.passing(browser.page.call('sys.seal.phrase.make', {}))).words;

  test('[S164] its words open the GSV in an empty browser when no other is left', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    await gsv.write(founder, '/home/ada/kept.txt', 'what must not be lost');
    const words = await phraseOf(gsv, founder);
    await gsv.everythingStored(founder);
    founder.kernel.kill();
    const found = await gsv.joined(words.join(' '));
    await gsv.reads(found, '/home/ada/kept.txt', 'what must not be lost');
    expect((await found.page.call('sys.seal.get', {})).phrase).toBe('made');
    found.kernel.kill();
    const again = await gsv.joined(` ${words.join('\n').toUpperCase()}`);
    await gsv.reads(again, '/home/ada/kept.txt', 'what must not be lost');
  });

  test('[S164] it opens what was written under keys that were made after it', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const words = await phraseOf(gsv, founder);
    const other = await gsv.invited(founder);
    founder.kernel.kill();
    for (const epoch of [2, 3]) {
      expect(await gsv.passing(other.page.call('sys.seal.rotate', {}))).toEqual({ epoch });
    }
    await gsv.write(other, '/home/ada/late.txt', 'under the third key');
    await gsv.everythingStored(other);
    other.kernel.kill();
    const found = await gsv.joined(words.join(' '));
    await gsv.reads(found, '/home/ada/late.txt', 'under the third key');
  });

  test('[S165] wrong words are refused with words, and another phrase than the newest opens nothing', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const first = await phraseOf(gsv, founder);
    const second = await phraseOf(gsv, founder);
    await gsv.everythingStored(founder);
    const { page } = await gsv.browser();
    const refusal = (secret: string) =>
      gsv.passing(page.call('sys.join', { secret })).then(
        () => null,
        ({ code, message }) => ({ code, message }),
      );
    expect(await refusal(first.slice(1).join(' '))).toMatchObject({
      code: 400,
      message: expect.stringMatching(/has 24 words/),
    });
    expect(await refusal([...first.slice(1), 'gsv'].join(' '))).toMatchObject({
      ...{ code: 400, message: expect.stringContaining('“gsv”') },
    });
    expect(await refusal(first.join(' '))).toMatchObject({
      message: expect.stringMatching(/no such .* recovery phrase/),
    });
    expect(await refusal(second.join(' '))).toBeNull();
  });

  test('[S166] it counts as kept once two of its words were typed, and wrong ones are named', async () => {
    const { gsv, founder } = await GsvInMemory.start({ sealed: true });
    const words = await phraseOf(gsv, founder);
    const keep = (...at: number[]) =>
      founder.page.call('sys.seal.phrase.keep', {
        words: at.map((place) => ({ at: place, word: words[place - 1] ?? '' })),
      });
    const state = async () => (await founder.page.call('sys.seal.get', {})).phrase;
    const wrong = {
      words: [
        { at: 3, word: words[2] ?? '' },
        { at: 9, word: 'wrong' },
      ],
    };
    await expect(founder.page.call('sys.seal.phrase.keep', wrong)).rejects.toMatchObject({
      ...{ code: 400, message: expect.stringContaining('Word 9') },
    });
    await expect(keep(3, 3)).rejects.toMatchObject({ code: 400 });
    expect(await state()).toBe('made');
    await gsv.restarted(founder);
    await keep(3, 24);
    expect(await state()).toBe('kept');
    expect([...founder.kernel.disk.secrets.values()].join()).not.toContain(words[0]);
    await expect(keep(3, 24)).rejects.toMatchObject({ code: 409 });
    await phraseOf(gsv, founder);
    expect(await state()).toBe('made');
  });
});

describe('a newcomer that was killed', () => {
  test('[S161] has either no GSV or one that it can read', async () => {
    for (const moments of [1, 6, 12, 18, 24, 30, 40, 50]) {
      const { gsv, founder } = await GsvInMemory.start({ sealed: true });
      await gsv.write(founder, '/home/ada/one.txt', 'from the first');
      const { secret } = await gsv.passing(founder.page.call('sys.invite.create', {}));
      const newcomer = await gsv.browser();
      newcomer.kernel.life.endIn(moments);
      newcomer.page.call('sys.join', { secret }).catch(() => {});
      const over = async () =>
        !newcomer.kernel.life.alive || newcomer.kernel.disk.secrets.get('room/invite') === undefined;
      await gsv.until(over, 'it is killed, or has joined');
      newcomer.kernel.kill();
      await gsv.passing(newcomer.kernel.boot());
      newcomer.page = newcomer.kernel.page();
      const { setupMode } = await newcomer.page.call('sys.status', {});
      if (setupMode) await gsv.passing(newcomer.page.call('sys.join', { secret }));
      await gsv.passing(newcomer.page.connect());
      await gsv.reads(newcomer, '/home/ada/one.txt', 'from the first');
    }
  }, 60_000);
});

/** What whoever has some keys and the server's disk reads of a document; all that opens, however it is ordered. */
async function readable(gsv: GsvInMemory, keyring: string, name: string): Promise<string> {
  const keys = Keyring.parse(keyring);
  const cipher = new EntryCipher(() => keys, name, realRandom);
  const opened = await Promise.all(
    (await gsv.entries(name)).map((bytes) =>
      cipher.open(bytes).then(
        ({ payload }) => payload,
        () => null,
      ),
    ),
  );
  return opened.map((payload) => (payload ? Buffer.from(payload).toString('latin1') : '')).join('');
}
