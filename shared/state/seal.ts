import { type Static, Type } from 'typebox';
import { nullable, optional } from '../syscalls/declare.ts';
import { CONTROL_DOC } from './control.ts';

const Count = Type.Integer({ minimum: 0 });
const Epoch = Type.Integer({ minimum: 1 });
const Time = Type.Integer({ minimum: 0 });
const text = Type.String();

/**
 * A browser that holds the keys of this GSV; the key is `replicaId`. It stands in `system`, which the server can neither
 * read nor forge once the GSV is sealed: keys are given to nobody that is not here.
 */
export const MemberRow = Type.Object({
  replicaId: text,
  /** X25519, base64url: what is sealed for it can be opened by that browser alone. */
  publicKey: text,
  /** The newest epoch of which it has said that it has the key; 0 before it has one. */
  epoch: Count,
});

/**
 * A browser that is given no more keys; the key is `replicaId`. Apart from its own row, which it may be writing. It
 * stands in `system`.
 */
export const ShutOutRow = Type.Object({
  replicaId: text,
  at: Time,
  /** The first epoch of which it has no key; absent until there is one. */
  since: optional(Epoch),
});

/** The recovery phrase as far as browsers know it; the key is `phrase`. It stands in `system`. */
export const RecoveryRow = Type.Object({
  inviteId: text,
  /** X25519, base64url. */
  publicKey: text,
  uid: Count,
  madeAt: Time,
  /** When a person had shown that it is kept. */
  keptAt: nullable(Time),
  /** Of which epoch the keys are that it opens now. */
  epoch: Epoch,
});

/** A secret that all browsers of a sealed GSV need; the key is what vaults call it. It stands in `system`. */
export const SecretRow = Type.Object({
  /** Null: it was taken away. */
  value: nullable(text),
});

/** That documents are being sealed anew under the key of an epoch; the key is the epoch. It stands in `system`. */
export const ResealRow = Type.Object({
  epoch: Epoch,
  done: Count,
  total: Count,
  /** All documents up to this name, in the order of names, are done. */
  upTo: text,
  endedAt: nullable(Time),
});

/**
 * The key of an epoch for one browser, or for the recovery phrase; the key is `<epoch>/<by>/<to>`. It is alone in a
 * document that is never sealed: whoever needs it has no key of what is.
 */
export const EpochRow = Type.Object({
  epoch: Epoch,
  /** The replica that made the key. */
  by: text,
  /** A replica's id, or `recovery`. */
  to: text,
  /** A box for it, base64, that holds what `Keyring.announcement` says. */
  box: text,
  /** Tells this key from another one of the same epoch. */
  print: text,
});

export const EPOCHS_DOC = 'epochs';

/** These come to the room in the clear in a sealed GSV, too. */
export const IN_CLEAR: ReadonlySet<string> = new Set([CONTROL_DOC, EPOCHS_DOC]);

export type MemberRow = Static<typeof MemberRow>;
export type ShutOutRow = Static<typeof ShutOutRow>;
export type RecoveryRow = Static<typeof RecoveryRow>;
export type ResealRow = Static<typeof ResealRow>;
export type EpochRow = Static<typeof EpochRow>;
