import type { TokenRow } from '../../state/control.ts';
import type { SystemTables } from '../../state/system.ts';
import { sha256Hex, toBase64Url } from '../../std/bytes.ts';
import type { Random } from '../../std/random.ts';

export type TokenRequest = Pick<
  TokenRow,
  'uid' | 'kind' | 'label' | 'allowedRole' | 'allowedDeviceId' | 'expiresAt'
>;

const PREFIX_LENGTH = 16;

/** Makes a token: its row, which holds only a hash, and the raw value that nobody can get again. */
export async function mintToken(
  request: TokenRequest,
  now: number,
  random: Random,
): Promise<{ row: TokenRow; raw: string }> {
  const raw = `gsv_${request.kind}_${toBase64Url(random.bytes(24))}`;
  const row: TokenRow = {
    ...request,
    tokenId: random.uuid(),
    hash: await hashToken(raw),
    tokenPrefix: raw.slice(0, PREFIX_LENGTH),
    createdAt: now,
    lastUsedAt: null,
    revokedAt: null,
    revokedReason: null,
  };
  return { row, raw };
}

export function hashToken(raw: string): Promise<string> {
  return sha256Hex(new TextEncoder().encode(raw));
}

/** The live token with this raw value. The hash is looked up whole, so no byte of it leaks by timing. */
export async function findToken(
  tokens: SystemTables['tokens'],
  raw: string,
  now: number,
): Promise<TokenRow | undefined> {
  const hash = await hashToken(raw);
  return tokens.rows().find((row) => row.hash === hash && isLive(row, now));
}

export function isLive(row: TokenRow, now: number): boolean {
  return row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now);
}
