import { expect, test } from 'vitest';
import { GARBLED, TOO_LONG } from '../../shared/kernel/local/local-models.ts';
import { explainLlama, explainLoad } from './llama-words.ts';

test('[A142] what an engine says when it fails becomes a sentence that says what to do', () => {
  const said: [string, string][] = [
    ['The model produced output that does not match the expected peg-native format', 'no text'],
    ['[json.exception.type_error.316] invalid UTF-8 byte at index 0: 0xF6', 'no text'],
    ['Invalid typed array length: 1163217991', 'Try again'],
    ['', 'Try again'],
    ['Stack trace (abort): wasm-func[985]', 'Try again'],
    ['RuntimeError: memory access out of bounds', 'choose a smaller one'],
    ['std::bad_alloc', 'choose a smaller one'],
    ['File read failed: NotReadableError', 'download it again'],
    ['the request exceeds the available context size', 'more than the model can read'],
    ['something new', 'The model stopped: something new'],
  ];
  for (const [words, expected] of said) expect(explainLlama(words).message).toContain(expected);
  expect(explainLlama('invalid UTF-8 byte')).toMatchObject({ code: GARBLED });
  expect(explainLlama('context is full')).toMatchObject({ code: TOO_LONG });
  const why = explainLoad('Stack trace (abort): wasm-func[985] (ggml_abort)').message;
  expect(why).toMatch(/its file is damaged, or of a kind that llama.cpp does not know here\.$/);
  expect(explainLoad('unknown model architecture').message).toContain('It says: unknown model architecture');
  expect(explainLoad('std::bad_alloc').message).toContain('choose a smaller one');
});
