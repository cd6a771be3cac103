import { SyscallError } from '../../protocol/errors.ts';

/** A GSV begins once: by `sys.setup`, by `sys.import` or by joining another. While one is at it, the others get 409. */
export class Founding {
  #going = false;

  async run<T>(found: () => Promise<T>): Promise<T> {
    if (this.#going) throw new SyscallError(409, 'This GSV is being set up');
    this.#going = true;
    try {
      return await found();
    } finally {
      this.#going = false;
    }
  }
}
