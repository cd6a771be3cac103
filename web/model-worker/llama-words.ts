import { GARBLED, TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { SyscallError } from '../../shared/protocol/errors.ts';

/** llama.cpp's words for a prompt that does not fit. */
const OVERFLOW = /exceed.{0,60}context|context.{0,40}(exceed|too (long|large|small)|full)|kv.?cache/i;
/** It reads each answer once more by the schema, as characters; bytes that are none end it. */
const NO_TEXT = /invalid utf-?8|does not match the expected .* format/i;
/**
 * What wllama says when llama.cpp has thrown: it takes the bytes `GLUE`, which begin its own message, for the length of
 * an answer that was never written.
 */
const THREW = /invalid typed array length: 1163217991/i;
const NO_MEMORY = /out of memory|memory access out of bounds|cannot (allocate|enlarge) memory|bad_alloc/i;
const READ_FAILED = /file read failed|notreadable|notfound/i;

/** wllama tells of an abort by where in the program it was. */
const WHERE = /stack trace|wasm-func/i;

/** Why llama.cpp does not load a model, in words for a person. */
export function explainLoad(words: string): Error {
  if (NO_MEMORY.test(words) || READ_FAILED.test(words)) return explainLlama(words);
  const why = words === '' || WHERE.test(words) ? '' : ` It says: ${words}`;
  return new Error(
    `The model could not be loaded: its file is damaged, or of a kind that llama.cpp does not know here.${why}`,
  );
}

/** What went wrong in llama.cpp, in words for a person. `words` are its own, or those of wllama. */
export function explainLlama(words: string): Error {
  if (OVERFLOW.test(words))
    return new SyscallError(TOO_LONG, 'This is more than the model can read at once.');
  if (NO_TEXT.test(words))
    return new SyscallError(
      GARBLED,
      'The model wrote something that is no text. Try again; if it happens often, its file is damaged or the model is too small.',
    );
  if (NO_MEMORY.test(words))
    return new Error('There was not enough memory for the model. Close other tabs, or choose a smaller one.');
  if (READ_FAILED.test(words))
    return new Error('The file of the model could not be read. Delete it and download it again.');
  if (words === '' || THREW.test(words) || WHERE.test(words))
    return new Error('The model stopped without saying why. Try again.');
  return new Error(`The model stopped: ${words}`);
}
