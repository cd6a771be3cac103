import { describe, expect, test } from 'vitest';
import { joinLate, LiveStream } from './stream.ts';

const words = (stream: LiveStream, partial: Parameters<LiveStream['blocks']>[0] = null): string[] =>
  stream.blocks(partial).map((block) => block.text);

describe('streamed answers', () => {
  test('[U7] deltas grow their blocks, in the order of the message', () => {
    const stream = new LiveStream();
    stream.take('r', 1, { type: 'start' });
    stream.take('r', 1, { type: 'thinking_start', contentIndex: 0 });
    stream.take('r', 1, { type: 'thinking_delta', contentIndex: 0, delta: 'hm' });
    stream.take('r', 1, { type: 'text_start', contentIndex: 1 });
    stream.take('r', 1, { type: 'text_delta', contentIndex: 1, delta: 'Hel' });
    stream.take('r', 1, { type: 'text_delta', contentIndex: 1, delta: 'lo' });
    expect(words(stream)).toEqual(['hm', 'Hello']);
  });

  test('[U7] a message that begins again voids what was streamed of it', () => {
    const stream = new LiveStream();
    stream.take('r', 1, { type: 'start' });
    stream.take('r', 1, { type: 'text_start', contentIndex: 0 });
    stream.take('r', 1, { type: 'text_delta', contentIndex: 0, delta: 'broken' });
    stream.take('r', 1, { type: 'start' });
    expect(words(stream)).toEqual([]);
  });

  test('[U8] a stored message takes the place of its turn, also when the next turn has begun', () => {
    const stream = new LiveStream();
    stream.take('r', 1, { type: 'text_start', contentIndex: 0 });
    stream.take('r', 1, { type: 'text_delta', contentIndex: 0, delta: 'first' });
    stream.take('r', 2, { type: 'text_start', contentIndex: 0 });
    stream.take('r', 2, { type: 'text_delta', contentIndex: 0, delta: 'second' });
    stream.stored('r');
    expect(words(stream)).toEqual(['second']);
    stream.stored('r');
    expect(words(stream)).toEqual([]);
  });

  test('[U9] a page that opens late shows the checkpoint, and goes on live once both meet', () => {
    const stream = new LiveStream();
    const partial = (text: string) => ({ runId: 'r', turn: 1, text, thinking: '' });
    expect(words(stream, partial('The quick brown '))).toEqual(['The quick brown ']);
    stream.take('r', 1, { type: 'text_delta', contentIndex: 0, delta: 'jumps over the lazy ' });
    expect(words(stream, partial('The quick brown '))).toEqual(['The quick brown ']);
    stream.take('r', 1, { type: 'text_delta', contentIndex: 0, delta: 'dog' });
    expect(words(stream, partial('The quick brown fox jumps over the'))).toEqual([
      'The quick brown fox jumps over the lazy dog',
    ]);
  });

  test('[U9] a short likeness is no meeting', () => {
    expect(joinLate('a b c', 'c d')).toBe('a b c');
  });
});
