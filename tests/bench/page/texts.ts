/** When texts came, and how much of it after the first. */
export class Texts {
  #first = 0;
  #last = 0;
  characters = 0;

  heard(text: string): void {
    this.#last = performance.now();
    if (this.#first === 0) this.#first = this.#last;
    else this.characters += text.length;
  }

  get ms(): number {
    return this.#last - this.#first;
  }
}
