/** Characters of one command's output that are kept (FACTS, Numbers: device shell). */
const KEPT_CHARACTERS = 200_000;
const HEAD = KEPT_CHARACTERS / 2;
const TAIL = KEPT_CHARACTERS - HEAD;

export type Taken = { output: string; truncated?: true };

/**
 * What a command printed since it was last asked: all of it, or its head and tail with a line that
 * says how much is missing between them.
 */
export class Output {
  readonly #decoder = new TextDecoder();
  #head = '';
  #tail = '';
  #lost = 0;

  get empty(): boolean {
    return this.#head === '';
  }

  write(bytes: Uint8Array): void {
    this.#add(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Nothing more comes: half a character at the end is shown as one that cannot be read. */
  end(): void {
    this.#add(this.#decoder.decode());
  }

  #add(text: string): void {
    const room = HEAD - this.#head.length;
    this.#head += text.slice(0, room);
    this.#tail += text.slice(room);
    // Cut at twice the size, so that a flood is not copied again with every chunk.
    if (this.#tail.length > 2 * TAIL) this.#cutTail();
  }

  /** Hands the output over and forgets it. */
  take(): Taken {
    if (this.#tail.length > TAIL) this.#cutTail();
    const lost = this.#lost;
    const output = lost === 0 ? this.#head + this.#tail : `${this.#head}${gap(lost)}${this.#tail}`;
    this.#head = '';
    this.#tail = '';
    this.#lost = 0;
    return lost === 0 ? { output } : { output, truncated: true };
  }

  #cutTail(): void {
    this.#lost += this.#tail.length - TAIL;
    this.#tail = this.#tail.slice(-TAIL);
  }
}

/** An output with its middle left out, so that at most about `most` characters stay. */
export function shorten(output: string, most: number): string {
  if (output.length <= most) return output;
  const half = Math.floor(most / 2);
  return `${output.slice(0, half)}${gap(output.length - 2 * half)}${output.slice(-half)}`;
}

function gap(characters: number): string {
  return `\n[${characters} characters left out]\n`;
}
