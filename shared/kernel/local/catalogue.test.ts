import { expect, test } from 'vitest';
import { catalogue } from './catalogue.ts';
import { unfitReason } from './fit.ts';
import { hubFile, hubListing, hubPlace } from './hub.ts';

test('[A109] the list goes from 0.1 to 8 billion parameters, each with size, licence, window and address', () => {
  const sizes = catalogue.map(({ parameters }) => parameters);
  expect(Math.min(...sizes)).toBeLessThan(0.2);
  expect(Math.max(...sizes)).toBeGreaterThan(8);
  expect(new Set(catalogue.map(({ id }) => id)).size).toBe(catalogue.length);
  for (const model of catalogue) {
    expect(model.licence).not.toBe('');
    expect(model.contextWindow).toBeGreaterThanOrEqual(4_096);
    // Weights of 4 to 8 bits, and some more.
    const bits = (model.bytes * 8) / (model.parameters * 1e9);
    expect(bits, model.id).toBeGreaterThan(3);
    expect(bits, model.id).toBeLessThan(10);
    if (model.source.kind === 'gguf') expect(model.source.file).toMatch(/^[\w.-]+\.gguf$/);
  }
});

test('[A109] a mirror stands in for the hub, for files and for what is published of them', () => {
  const file = hubFile('a/b', 'c.gguf', 'https://mirror.example/hf/');
  expect(file).toBe('https://mirror.example/hf/a/b/resolve/main/c.gguf');
  expect(hubPlace(file, 'https://mirror.example/hf')).toEqual({ repository: 'a/b', file: 'c.gguf' });
  expect(hubPlace(file)).toBeUndefined();
  expect(hubPlace(`${hubFile('a/b', 'd/c.gguf')}?download=true`)).toEqual({
    repository: 'a/b',
    file: 'd/c.gguf',
  });
  expect(hubListing('a/b')).toBe('https://huggingface.co/api/models/a/b/tree/main');
});

const phone = { gpu: null, memoryGb: 4, freeBytes: null, wasm: true };
const GB = 1_000_000_000;

test('[A110] what a device cannot run is known before any download, with the reason', () => {
  expect(unfitReason({ engine: 'wllama', bytes: 0.6 * GB }, phone)).toBe('');
  expect(unfitReason({ engine: 'wllama', bytes: 2.5 * GB }, phone)).toContain('Needs about 3.1 GB of memory');
  expect(unfitReason({ engine: 'wllama', bytes: 5 * GB }, { ...phone, memoryGb: 32 })).toContain('Too large');
  expect(unfitReason({ engine: 'wllama', bytes: GB }, { ...phone, wasm: false })).toContain('JSPI');
  expect(unfitReason({ engine: 'webllm', bytes: GB }, phone)).toContain('WebGPU');
  const gpu = { name: 'x', shaderF16: false };
  expect(unfitReason({ engine: 'webllm', bytes: GB, shaderF16: true }, { ...phone, gpu })).toContain(
    'shader-f16',
  );
  expect(unfitReason({ engine: 'webllm', bytes: GB }, { ...phone, gpu, memoryGb: null })).toBe('');
});
