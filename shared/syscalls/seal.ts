import { Type } from 'typebox';
import { Count, declare, Empty, literals, Name, nullable, record, Time } from './declare.ts';

/** Words of a recovery phrase, and how many of them a person shows to have kept it. */
export const PHRASE_WORDS = 24;
const KEPT_WORDS = 2;

const Word = Type.String({ pattern: '^[A-Za-z]{3,8}$' });

/** Sealing: what the server keeps it cannot read. */
export const sealSyscalls = {
  'sys.seal.get': declare({
    doc: 'Whether this GSV is sealed, so that its server cannot read what it keeps; how its keys and its recovery phrase stand, and how far a new key has been applied to what there was.',
    args: Empty,
    result: record({
      sealed: Type.Boolean(),
      gsvId: nullable(Name),
      /** Number of the newest key; 0 when there is none. */
      epoch: Count,
      since: nullable(Time),
      phrase: literals(['none', 'made', 'kept']),
      /** Documents and contents that are under the newest key, of all; null when nothing is going on. */
      resealing: nullable(record({ done: Count, total: Count })),
      /** What the server handed out and was not taken, in words. */
      faults: Type.Array(
        record({ name: Type.String(), document: Type.String(), words: Type.String(), at: Time }),
      ),
    }),
    audience: 'person',
    effect: 'read',
    routable: false,
  }),
  'sys.seal.phrase.make': declare({
    doc: 'Makes a recovery phrase: whoever has its words can open this GSV in an empty browser when no other is left. An earlier phrase opens nothing any more. The words are shown once.',
    args: Empty,
    result: record({
      words: Type.Array(Type.String(), { minItems: PHRASE_WORDS, maxItems: PHRASE_WORDS }),
    }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.seal.phrase.keep': declare({
    doc: 'Notes that the recovery phrase is kept, once two of its words have been typed. Refuses wrong words with 400 and says which.',
    args: record({
      words: Type.Array(record({ at: Type.Integer({ minimum: 1, maximum: PHRASE_WORDS }), word: Word }), {
        minItems: KEPT_WORDS,
        maxItems: PHRASE_WORDS,
      }),
    }),
    result: Empty,
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.seal.rotate': declare({
    doc: 'Makes a new key for everything that is written from now on, and gives it to every browser that was not shut out. What there was is sealed anew in the background.',
    args: Empty,
    result: record({ epoch: Count }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.seal.start': declare({
    doc: 'Seals a GSV that was not: its browsers get keys, everything goes to the server again so that it cannot read it, and what it could read is removed there. Goes on in the background.',
    args: Empty,
    result: record({ gsvId: Name }),
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
  'sys.seal.repair': declare({
    doc: 'Has the server hold what this browser has in place of what it handed out wrongly: of a document by the `name` of a fault, or of all contents of files with an empty one. 409 when another browser has something of it that is not here.',
    args: record({ name: Type.String({ maxLength: 200 }) }),
    result: Empty,
    audience: 'person',
    effect: 'write',
    routable: false,
  }),
};
