import { expect } from 'vitest';

/** Bytes are compared as bytes: as objects of numbered fields a megabyte takes seconds. */
expect.addEqualityTesters([
  (one, other) =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
]);
