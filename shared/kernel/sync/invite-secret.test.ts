import { describe, expect, test } from 'vitest';
import { realRandom } from '../../../tests/support/platform.ts';
import { InviteSecret } from './invite-secret.ts';

describe('the secret of an invitation', () => {
  test('[S40] what is shown to the room opens nothing that is sealed for the newcomer', async () => {
    const secret = InviteSecret.make(realRandom);
    const token = await secret.token();
    expect(token).toMatch(/^gsv_invite_[A-Za-z0-9_-]{43}$/);
    expect(await InviteSecret.parse(secret.text)?.token(), 'the link alone gives it').toBe(token);
    const sealed = await secret.seal('the vault', 'invite-1', realRandom);
    const shown = InviteSecret.parse(token.replace('gsv_invite_', 'gsv_join_'));
    await expect(shown?.open(sealed, 'invite-1')).rejects.toThrow();
    expect(await InviteSecret.parse(secret.text)?.open(sealed, 'invite-1')).toBe('the vault');
  });

  test('[S40] a sealed text belongs to its invitation and to no other, and not a byte of it can be changed', async () => {
    const secret = InviteSecret.make(realRandom);
    const sealed = await secret.seal('the vault', 'invite-1', realRandom);
    await expect(secret.open(sealed, 'invite-2')).rejects.toThrow();
    await expect(InviteSecret.make(realRandom).open(sealed, 'invite-1')).rejects.toThrow();
    const [iv, bytes = ''] = sealed.split('.');
    const changed = `${bytes.startsWith('A') ? 'B' : 'A'}${bytes.slice(1)}`;
    await expect(secret.open(`${iv}.${changed}`, 'invite-1')).rejects.toThrow();
  });

  test.each(['', 'gsv_join_', 'gsv_join_short', 'gsv_join_%%%', `gsv_claim_${'a'.repeat(43)}`])(
    '[S40] %s is no secret of an invitation',
    (text) => {
      expect(InviteSecret.parse(text)).toBeUndefined();
    },
  );
});
