import { Type } from 'typebox';
import { matches } from '../../std/matches.ts';
import type { Random } from '../../std/random.ts';
import type { Keys } from '../seal/keys.ts';
import { SealedSignals } from '../seal/sealed-signals.ts';
import type { RoomLink } from './room-link.ts';

const SIGNAL = 'replica.signal';
const Sealed = Type.Object({ sealed: Type.String(), from: Type.String() });

export type ReplicaSignalsParts = {
  room: Pick<RoomLink, 'signal' | 'onSignal'>;
  keys: Pick<Keys, 'keyring'>;
  random: Random;
};

/**
 * What one browser says to the others by way of the room, in order; nothing that does not arrive is said again. In a
 * sealed GSV it is sealed, and what comes in the clear is nobody's of it.
 */
export class ReplicaSignals {
  readonly #parts: ReplicaSignalsParts;
  readonly #sealed: SealedSignals;
  #sending = Promise.resolve();
  #receiving = Promise.resolve();

  constructor(parts: ReplicaSignalsParts) {
    this.#parts = parts;
    this.#sealed = new SealedSignals(() => {
      const { keyring } = parts.keys;
      if (!keyring) throw new Error('There are no keys');
      return keyring;
    }, parts.random);
  }

  send(signal: object): void {
    const { room, keys } = this.#parts;
    if (keys.keyring) this.#sendSealed(signal);
    else room.signal(SIGNAL, signal);
  }

  #sendSealed(signal: object): void {
    const { room } = this.#parts;
    this.#sending = this.#sending
      .then(async () => room.signal(SIGNAL, { sealed: await this.#sealed.seal(signal) }))
      .catch(() => {});
  }

  /** `listener` gets what others said and `from` whom the room says it is, unchecked. Must not throw. */
  onSignal(listener: (signal: unknown) => void): void {
    const { room, keys } = this.#parts;
    room.onSignal(SIGNAL, (payload) => {
      if (!keys.keyring) return listener(payload);
      if (!matches(Sealed, payload)) return;
      const { sealed, from } = payload;
      this.#receiving = this.#receiving
        .then(async () => listener({ ...((await this.#sealed.open(sealed)) as object), from }))
        .catch(() => {});
    });
  }
}
