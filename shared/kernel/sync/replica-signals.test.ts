import { expect, test } from 'vitest';
import { until } from '../../../tests/support/linked-peers.ts';
import { realRandom } from '../../../tests/support/platform.ts';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { fromBase64, toBase64 } from '../../std/bytes.ts';
import { Keyring } from '../seal/keyring.ts';
import { ReplicaSignals } from './replica-signals.ts';

type Said = { sealed?: string };

/** A room that passes on what one browser says to another, and keeps what it saw. */
function pair(first: Keyring | null, second: Keyring | null) {
  const seen: Said[] = [];
  const heard: unknown[] = [];
  const listeners: ((payload: unknown) => void)[] = [];
  const keys = [{ keyring: first }, { keyring: second }];
  const browser = (index: 0 | 1, said: (payload: unknown) => void) =>
    new ReplicaSignals({
      keys: keys[index] as { keyring: Keyring | null },
      random: realRandom,
      room: {
        signal: (_name, payload) => said(payload),
        onSignal: (_name, listener) => void listeners.push(listener),
      },
    });
  const one = browser(0, (payload) => void seen.push(payload as Said));
  browser(1, () => {}).onSignal((signal) => heard.push(signal));
  const tell = (...payloads: unknown[]): void => {
    for (const payload of payloads) for (const listener of listeners) listener(payload);
  };
  return { one, seen, heard, tell, keys };
}

const frame = (n: number) => ({ uid: 1000, signal: 'proc.run.stream', payload: { text: `PRIVATE ${n}` } });
const arrived = (n: number) => ({ ...frame(n), from: 'replica-1' });
const passedOn = (said: Said | undefined) => ({ ...said, from: 'replica-1' });

test('[S175] signals between browsers of a sealed GSV are read by them alone, in order', async () => {
  const keyring = Keyring.make(new SeededRandom(1));
  const { one, seen, heard, tell } = pair(keyring, keyring);
  for (const n of [1, 2, 3]) one.send(frame(n));
  await until(() => seen.length === 3);
  expect(seen.map((said) => Object.keys(said))).toEqual([['sealed'], ['sealed'], ['sealed']]);
  for (const { sealed = '' } of seen) {
    const text = Buffer.from(sealed, 'base64').toString('latin1');
    expect(text + sealed).not.toMatch(/PRIVATE|proc\.run/);
  }
  tell(...seen.map(passedOn));
  await until(() => heard.length === 3);
  expect(heard).toEqual([arrived(1), arrived(2), arrived(3)]);
});

test('[S175] what is in the clear, changed, repeated, or under keys that are not known is dropped', async () => {
  const keyring = Keyring.make(new SeededRandom(1));
  const { one, seen, heard, tell, keys } = pair(keyring, keyring);
  for (const n of [1, 2]) one.send(frame(n));
  await until(() => seen.length === 2);
  const bytes = fromBase64(seen[0]?.sealed ?? '');
  for (let at = 0; at < bytes.length; at += 1) {
    tell(passedOn({ sealed: toBase64(bytes.map((byte, n) => (n === at ? byte ^ 1 : byte))) }));
  }
  tell(arrived(9), passedOn({ sealed: '' }), passedOn({ sealed: 'x' }), passedOn({}));
  const [own] = keys;
  if (own) own.keyring = keyring.rotated(new SeededRandom(2));
  one.send(frame(3));
  await until(() => seen.length === 3);
  tell(passedOn(seen[2]), passedOn(seen[0]), passedOn(seen[0]), passedOn(seen[1]));
  await until(() => heard.length > 1);
  expect(heard).toEqual([arrived(1), arrived(2)]);
});

test('[S175] where nothing is sealed signals go as they are', () => {
  const { one, seen, heard, tell } = pair(null, null);
  one.send(frame(1));
  expect(seen).toEqual([frame(1)]);
  tell(arrived(1));
  expect(heard).toEqual([arrived(1)]);
});
