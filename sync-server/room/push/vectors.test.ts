import { expect, test } from 'vitest';
import { fromBase64Url, toBase64Url } from '../../../shared/std/bytes.ts';
import { drawMessageKeys, encryptPush } from './encrypt.ts';
import { drawVapid, openVapid, signingInput, vapidHeader } from './vapid.ts';

/** RFC 8291, 5 and appendix A. */
const example = {
  text: 'When I grow up, I want to be a watermelon',
  senderPublic: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  receiverPublic: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};
/** RFC 8292, 2.4. */
const header =
  'vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs';
const claims = { aud: 'https://push.example.net', exp: 1_453_523_768, sub: 'mailto:push@example.com' };

const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text) as Uint8Array<ArrayBuffer>;

async function senderPair(): Promise<CryptoKeyPair> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' };
  const point = fromBase64Url(example.senderPublic);
  const [x, y] = [toBase64Url(point.slice(1, 33)), toBase64Url(point.slice(33))];
  const jwk = { kty: 'EC', crv: 'P-256', x, y };
  const secret = { ...jwk, d: example.senderPrivate };
  return {
    privateKey: await crypto.subtle.importKey('jwk', secret, curve, true, ['deriveBits']),
    publicKey: await crypto.subtle.importKey('jwk', jwk, curve, true, []),
  };
}

/** Whether a header is signed by the key that it names. */
async function isSigned(text: string): Promise<boolean> {
  const [, signed = '', signature = '', key = ''] =
    /^vapid t=([\w-]+\.[\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(text) ?? [];
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const publicKey = await crypto.subtle.importKey('raw', fromBase64Url(key), curve, false, ['verify']);
  const how = { name: 'ECDSA', hash: 'SHA-256' };
  return crypto.subtle.verify(how, publicKey, fromBase64Url(signature), bytes(signed));
}

test('[R120] the example of RFC 8291 is encrypted to the published message, byte for byte', async () => {
  const to = { p256dh: fromBase64Url(example.receiverPublic), auth: fromBase64Url(example.auth) };
  const drawn = { pair: await senderPair(), salt: fromBase64Url(example.salt) };
  expect(toBase64Url(await encryptPush(bytes(example.text), to, drawn))).toBe(example.message);
});

test('[R120] every message has keys of its own; a key that is not on the curve is refused', async () => {
  const to = { p256dh: fromBase64Url(example.receiverPublic), auth: fromBase64Url(example.auth) };
  const draw = async () => drawMessageKeys(fromBase64Url(example.salt));
  const [one, two] = [
    await encryptPush(bytes('a'), to, await draw()),
    await encryptPush(bytes('a'), to, await draw()),
  ];
  expect(toBase64Url(one)).not.toBe(toBase64Url(two));
  const bent = { ...to, p256dh: new Uint8Array(65).fill(4) };
  await expect(encryptPush(bytes('a'), bent, await draw())).rejects.toThrow();
});

test('[R121] the example of RFC 8292 is verified, and its claims give the same text to sign', async () => {
  expect(await isSigned(header)).toBe(true);
  expect(header).toContain(`vapid t=${signingInput(claims)}.`);
});

test('[R121] our header is signed by the key that it names, which stays the same when it is stored', async () => {
  const stored = JSON.parse(JSON.stringify(await drawVapid()));
  const [one, two] = [await openVapid(stored), await openVapid(stored)];
  expect(toBase64Url(one.publicKey)).toBe(toBase64Url(two.publicKey));
  expect(await isSigned(await vapidHeader(one, claims))).toBe(true);
});
