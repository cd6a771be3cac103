import type { PushRow } from '../../../shared/state/control.ts';
import { fromBase64Url, toBase64Url } from '../../../shared/std/bytes.ts';
import { drawMessageKeys, encryptPush } from './encrypt.ts';
import { type VapidKeys, vapidHeader } from './vapid.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** How long a push service keeps a message for a browser that is away, in seconds. */
const KEPT_S = 24 * 60 * 60;
const SIGNED_FOR_S = 12 * 60 * 60;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export type Message = {
  text: string;
  /** Messages of one topic replace each other while they wait: 32 characters of base64url at most. */
  topic: string;
  urgent: boolean;
};

/** `gone`: the subscription is no more. `later`: it may work when it is tried again. */
export type Sent = 'sent' | 'gone' | 'later' | 'refused';

export type SendParts = {
  keys: VapidKeys;
  /** Whom the push service can write to. */
  contact: string;
  salt: Bytes;
  now: number;
  fetch(request: Request): Promise<Response>;
};

/** Hands one message for one browser to its push service (RFC 8030). Never rejects. */
export async function sendPush(row: PushRow, message: Message, parts: SendParts): Promise<Sent> {
  if (!isPushAddress(row.endpoint)) return 'refused';
  try {
    const response = await parts.fetch(await requestOf(row, message, parts));
    await response.body?.cancel();
    if (response.status === 404 || response.status === 410) return 'gone';
    if (response.ok) return 'sent';
    return response.status === 429 || response.status >= 500 ? 'later' : 'refused';
  } catch {
    return 'later';
  }
}

/** Push services are on the web; without TLS only on this machine, where tests have theirs. */
export function isPushAddress(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, username, password } = new URL(endpoint);
  const plain = username === '' && password === '';
  return plain && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname)));
}

async function requestOf(row: PushRow, message: Message, parts: SendParts): Promise<Request> {
  const { keys, contact, salt, now } = parts;
  const to = { p256dh: fromBase64Url(row.p256dh), auth: fromBase64Url(row.auth) };
  const text = new TextEncoder().encode(message.text) as Bytes;
  const body = await encryptPush(text, to, await drawMessageKeys(salt));
  const exp = Math.floor(now / 1000) + SIGNED_FOR_S;
  const authorization = await vapidHeader(keys, { aud: new URL(row.endpoint).origin, exp, sub: contact });
  return new Request(row.endpoint, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization,
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(KEPT_S),
      topic: message.topic,
      urgency: message.urgent ? 'high' : 'normal',
    },
    body,
  });
}

/** A topic that says nothing of what it stands for. */
export async function topicOf(id: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  return toBase64Url(new Uint8Array(hash)).slice(0, 32);
}
