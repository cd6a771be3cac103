import type { MessageRow } from '../../state/conversation.ts';

/** Bits of one signature. Some 10,000 grams of a block fill less than half of them. */
const BITS = 2 ** 14;
const SNIPPET = 160;
/** Scripts that are written without spaces: two characters are a word. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** As it is compared: forms of one character, and cases, are one. */
export const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

/** The words of a query; all of them must be in a message. */
export const wordsOf = (query: string): string[] =>
  plain(query)
    .split(/\s+/u)
    .filter((word) => word !== '');

/** Everything of a message that can be found. */
export function textOf({ content }: Pick<MessageRow, 'content'>): string {
  const parts = content.map((block) => {
    if (block.type === 'text') return block.text;
    return block.type === 'toolCall' ? `${block.name} ${JSON.stringify(block.arguments)}` : '';
  });
  return parts.filter((part) => part !== '').join('\n');
}

/** Whether all words are in a text. */
export function hasAll(text: string, words: readonly string[]): boolean {
  const searched = plain(text);
  return words.every((word) => searched.includes(word));
}

/** The piece of a text around the first word that is found, on one line. */
export function snippet(text: string, words: readonly string[]): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const at = Math.max(0, Math.min(...words.map((word) => plain(line).indexOf(word)).filter((i) => i >= 0)));
  const from = Number.isFinite(at) ? Math.max(0, at - SNIPPET / 3) : 0;
  const cut = line.slice(from, from + SNIPPET);
  return `${from > 0 ? '…' : ''}${cut}${from + SNIPPET < line.length ? '…' : ''}`;
}

/** What says of a block of messages that a word is not in it; that one is, it only suggests. */
export function signature(rows: readonly MessageRow[]): Uint8Array {
  const bits = new Uint8Array(BITS / 8);
  for (const row of rows) for (const gram of gramsOf(plain(textOf(row)))) set(bits, hash(gram));
  return bits;
}

export function mayHave(bits: Uint8Array, words: readonly string[]): boolean {
  return words.every((word) => [...gramsOf(word)].every((gram) => has(bits, hash(gram))));
}

/** Runs of three characters, and of two where a script is dense. */
function* gramsOf(text: string): Generator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += 1) {
    const [a = '', b = '', c = ''] = [characters[at], characters[at + 1], characters[at + 2]];
    if (b !== '' && DENSE.test(a) && DENSE.test(b)) yield a + b;
    if (c !== '') yield a + b + c;
  }
}

/** FNV-1a. */
function hash(gram: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < gram.length; at += 1) value = Math.imul(value ^ gram.charCodeAt(at), 0x01000193);
  return (value >>> 0) % BITS;
}

const set = (bits: Uint8Array, at: number): void => {
  bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
};
const has = (bits: Uint8Array, at: number): boolean => ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
