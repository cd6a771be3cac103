import type { AssistantBlock, ModelDelta } from '../ports/models.ts';
import { readCall } from './read-call.ts';
import { readNearJson } from './repair-json.ts';

const SAY = /^\s*\{\s*"say"\s*:\s*"/;
const CALL = /^\s*\{\s*"tool"\s*:\s*"([^"\\]*)"\s*,\s*"arguments"\s*:\s*/;
/** The beginning of either form may still be incomplete. */
const MAYBE = /^\s*(\{[^{}]{0,80}\{?)?$/;

type Mode = 'unknown' | 'say' | 'call' | 'plain';

/**
 * Reads a local model's answer while it comes (`answerSchema`): what it says is shown as text, what it calls as a call.
 * An answer that is neither is text, unless it turns out at its end to be a call that misses the form a little.
 */
export class AnswerReader {
  readonly #names: readonly string[];
  readonly #onDelta: (delta: ModelDelta) => void;
  #mode: Mode = 'unknown';
  #text = '';
  /** How much of `#text` has been read. */
  #read = 0;
  #said = '';
  #ended = false;
  #callName = '';
  #argsFrom = 0;

  /** `names` are the tools there are. `onDelta` must not throw. */
  constructor(names: readonly string[], onDelta: (delta: ModelDelta) => void) {
    this.#names = names;
    this.#onDelta = onDelta;
    if (names.length === 0) this.#begin('plain', 0);
  }

  push(text: string): void {
    this.#text += text;
    if (this.#mode === 'unknown') this.#recognise();
    if (this.#mode === 'say') this.#readString();
    else if (this.#mode === 'plain') this.#show(this.#take());
    else if (this.#mode === 'call') this.#emit('toolcall_delta', this.#take());
  }

  /** The blocks of the message, when nothing more comes. */
  finish(): AssistantBlock[] {
    if (this.#mode === 'call') return this.#finishCall();
    if (this.#mode === 'say') return this.#finishText(this.#said);
    const call = this.#names.length > 0 ? readCall(this.#text, this.#names) : undefined;
    if (!call) {
      if (this.#mode === 'unknown') this.#begin('plain', 0);
      this.#show(this.#take());
      return this.#finishText(spokenOf(this.#text) ?? this.#text);
    }
    // What was shown as text was a call after all.
    this.#onDelta({ type: 'start' });
    this.#onDelta({ type: 'toolcall_start', contentIndex: 0 });
    this.#emit('toolcall_delta', JSON.stringify(call.arguments));
    this.#onDelta({ type: 'toolcall_end', contentIndex: 0 });
    return [{ type: 'toolCall', id: '', ...call }];
  }

  #recognise(): void {
    const say = SAY.exec(this.#text);
    const call = CALL.exec(this.#text);
    if (say) this.#begin('say', say[0].length);
    else if (call) {
      this.#callName = call[1] ?? '';
      this.#argsFrom = call[0].length;
      this.#begin('call', call[0].length);
    } else if (!MAYBE.test(this.#text)) this.#begin('plain', 0);
  }

  #begin(mode: Mode, from: number): void {
    this.#mode = mode;
    this.#read = from;
    this.#onDelta({ type: mode === 'call' ? 'toolcall_start' : 'text_start', contentIndex: 0 });
  }

  #take(): string {
    const taken = this.#text.slice(this.#read);
    this.#read = this.#text.length;
    return taken;
  }

  /** As much of the JSON string as is whole: half an escape waits for its rest. */
  #readString(): void {
    let said = '';
    while (!this.#ended && this.#read < this.#text.length) {
      const char = this.#text[this.#read] ?? '';
      if (char === '"') this.#ended = true;
      const length = char !== '\\' ? 1 : this.#text[this.#read + 1] === 'u' ? 6 : 2;
      if (this.#read + length > this.#text.length) break;
      if (!this.#ended) said += unescaped(this.#text.slice(this.#read, this.#read + length));
      this.#read += length;
    }
    this.#said += said;
    this.#show(said);
  }

  #show(text: string): void {
    this.#emit('text_delta', text);
  }

  #emit(type: 'text_delta' | 'toolcall_delta', delta: string): void {
    if (delta !== '') this.#onDelta({ type, contentIndex: 0, delta });
  }

  #finishText(text: string): AssistantBlock[] {
    this.#onDelta({ type: 'text_end', contentIndex: 0 });
    return text.trim() === '' ? [] : [{ type: 'text', text }];
  }

  #finishCall(): AssistantBlock[] {
    this.#onDelta({ type: 'toolcall_end', contentIndex: 0 });
    const args = readNearJson(this.#text.slice(this.#argsFrom)) ?? {};
    return [{ type: 'toolCall', id: '', name: this.#callName, arguments: args }];
  }
}

function unescaped(piece: string): string {
  if (piece.length === 1) return piece;
  try {
    return JSON.parse(`"${piece}"`) as string;
  } catch {
    return piece;
  }
}

/** The words of a `{"say": …}` that is not quite one. */
function spokenOf(text: string): string | undefined {
  if (!/^\s*(```\w*\s*)?\{/.test(text)) return undefined;
  const said = readNearJson(text)?.say;
  return typeof said === 'string' ? said : undefined;
}
