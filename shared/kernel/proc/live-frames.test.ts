import { expect, test } from 'vitest';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { type Frame, LiveFrames } from './live-frames.ts';

function world(others = true) {
  const clock = new ManualClock();
  const sent: Frame[] = [];
  const port = { others: () => others, send: (frame: Frame) => void sent.push(frame) };
  const frames = new LiveFrames(port, clock);
  const delta = (text: string, contentIndex = 0, pid = 'p') =>
    frames.send(7, 'proc.run.stream', {
      pid,
      runId: 'r',
      turn: 0,
      event: { type: 'text_delta', contentIndex, delta: text },
    });
  const texts = () =>
    sent.map(({ signal, payload }) => (payload.event as { delta?: string })?.delta ?? signal);
  return { clock, sent, frames, delta, texts };
}

test('[P50] pieces of one text are joined for 60 ms, in order with everything else, and lose nothing', async () => {
  const { clock, frames, delta, texts, sent } = world();
  for (const piece of ['a', 'b', 'c']) delta(piece);
  expect(sent).toEqual([]);
  await clock.advance(60);
  delta('d');
  delta('e', 1);
  delta('f', 1, 'other');
  frames.send(7, 'proc.run.finished', { pid: 'p' });
  expect(texts()).toEqual(['abc', 'd', 'e', 'f', 'proc.run.finished']);
  expect(sent[0]).toMatchObject({
    uid: 7,
    payload: { pid: 'p', runId: 'r', turn: 0, event: { type: 'text_delta' } },
  });
  for (const text of ['1', '2'])
    frames.send(7, 'proc.run.tool.output', { pid: 'p', runId: 'r', callId: 'c', text });
  await clock.advance(60);
  expect(sent.at(-1)?.payload.text).toBe('12');
  expect(clock.waiting).toEqual([]);
});

test('[P50] nothing is sent while no other replica is connected', async () => {
  const { clock, delta, sent } = world(false);
  delta('a');
  await clock.advance(1000);
  expect([sent, clock.waiting]).toEqual([[], []]);
});

test('[P51] a frame of another replica is taken only when it is one of a process', () => {
  const frame = { uid: 1000, signal: 'proc.changed', payload: { pid: 'p' } };
  expect(LiveFrames.read({ ...frame, from: 'r2' })).toEqual(frame);
  for (const wrong of [
    null,
    { ...frame, from: 'r2', uid: -1 },
    { ...frame, from: 'r2', signal: 'view.patch' },
    { ...frame, from: 'r2', signal: 'proc.' },
    { ...frame, from: 'r2', payload: [] },
    { ...frame, from: 'r2', payload: 'x' },
    frame,
  ])
    expect(LiveFrames.read(wrong)).toBeUndefined();
});
