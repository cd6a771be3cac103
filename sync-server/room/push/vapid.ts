import { toBase64Url } from '../../../shared/std/bytes.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const HEADER = { typ: 'JWT', alg: 'ES256' };

/** The key pair by which push services know this server; the private half is stored, and never leaves it. */
export type VapidKeys = { privateKey: CryptoKey; publicKey: Bytes };
/** As it is stored. */
export type StoredVapid = { privateKey: JsonWebKey; publicKey: JsonWebKey };

export type Claims = {
  /** The origin of the push service. */
  aud: string;
  /** Seconds since the epoch, at most a day ahead. */
  exp: number;
  /** Whom the service can write to. */
  sub: string;
};

export async function drawVapid(): Promise<StoredVapid> {
  const pair = (await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;
  return {
    privateKey: (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JsonWebKey,
    publicKey: (await crypto.subtle.exportKey('jwk', pair.publicKey)) as JsonWebKey,
  };
}

/** Rejects when what was stored is no key pair of the curve. */
export async function openVapid({ privateKey, publicKey }: StoredVapid): Promise<VapidKeys> {
  const open = await crypto.subtle.importKey('jwk', publicKey, ALGORITHM, true, ['verify']);
  return {
    privateKey: await crypto.subtle.importKey('jwk', privateKey, ALGORITHM, false, ['sign']),
    publicKey: new Uint8Array((await crypto.subtle.exportKey('raw', open)) as ArrayBuffer),
  };
}

/** The `Authorization` of a push message (RFC 8292, 3). */
export async function vapidHeader(keys: VapidKeys, claims: Claims): Promise<string> {
  const signed = signingInput(claims);
  const bytes = new TextEncoder().encode(signed);
  const signature = new Uint8Array(await crypto.subtle.sign(SIGNATURE, keys.privateKey, bytes));
  return `vapid t=${signed}.${toBase64Url(signature)}, k=${toBase64Url(keys.publicKey)}`;
}

/** What is signed: header and claims, encoded. */
export function signingInput(claims: Claims): string {
  return [HEADER, claims]
    .map((part) => toBase64Url(new TextEncoder().encode(JSON.stringify(part))))
    .join('.');
}
