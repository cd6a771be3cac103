import { toBase64Url } from '../../std/bytes.ts';
import { lazy } from '../../std/lazy.ts';
import type { Random } from '../../std/random.ts';
import { BoxKey } from './sealed-box.ts';

/** 256 bits make 24 words. */
const ENTROPY_BYTES = 32;
const SALT = new TextEncoder().encode('gsv recovery 1');
/** To the room it is an invitation. */
const TOKEN_PREFIX = 'gsv_invite_';

/** Why a phrase cannot be taken, for a person. */
export class PhraseError extends Error {}

/** 24 words (BIP 39, English) that a person keeps on paper, and the key that they stand for. */
export class RecoveryPhrase {
  readonly words: readonly string[];
  readonly #entropy: Uint8Array<ArrayBuffer>;

  private constructor(words: readonly string[], entropy: Uint8Array<ArrayBuffer>) {
    this.words = words;
    this.#entropy = entropy;
  }

  static async make(random: Random): Promise<RecoveryPhrase> {
    const { entropyToMnemonic, wordlist } = await loadWordTools();
    const entropy = random.bytes(ENTROPY_BYTES);
    return new RecoveryPhrase(entropyToMnemonic(entropy, wordlist).split(' '), entropy);
  }

  /** As somebody typed it: capitals and the space between words are of no importance. Rejects with PhraseError. */
  static async parse(text: string): Promise<RecoveryPhrase> {
    const { mnemonicToEntropy, wordlist } = await loadWordTools();
    const words = text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word !== '');
    if (words.length !== 24)
      throw new PhraseError(`A recovery phrase has 24 words; these are ${words.length}`);
    const unknown = words.findIndex((word) => !wordlist.includes(word));
    if (unknown >= 0)
      throw new PhraseError(`Word ${unknown + 1}, “${words[unknown]}”, is in no recovery phrase`);
    try {
      return new RecoveryPhrase(
        words,
        mnemonicToEntropy(words.join(' '), wordlist).slice() as Uint8Array<ArrayBuffer>,
      );
    } catch {
      throw new PhraseError('Each of these words may be right, but two are mixed up or one is another');
    }
  }

  /** What is sealed for it, whoever has the words opens. */
  async key(): Promise<BoxKey> {
    return new BoxKey(await this.#derive('box key'));
  }

  /** What whoever has the words shows to the room, which learns nothing else of them. */
  async token(): Promise<string> {
    return TOKEN_PREFIX + toBase64Url(await this.#derive('show to the room'));
  }

  async #derive(purpose: string): Promise<Uint8Array<ArrayBuffer>> {
    const entropy = await crypto.subtle.importKey('raw', this.#entropy, 'HKDF', false, ['deriveBits']);
    const info = new TextEncoder().encode(purpose);
    const params: HkdfParams = { name: 'HKDF', hash: 'SHA-256', salt: SALT, info };
    return new Uint8Array(await crypto.subtle.deriveBits(params, entropy, 256));
  }
}

/** The list of words is large, so it is loaded when somebody needs it. */
export const loadWordTools = lazy(async () => {
  const [{ entropyToMnemonic, mnemonicToEntropy }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ]);
  return { entropyToMnemonic, mnemonicToEntropy, wordlist };
});
