import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../tests/support/manual-clock.ts';
import { fails, type Script, ScriptedModels, says } from '../../../tests/support/scripted-models.ts';
import type { ModelDelta, ModelOutcome, ModelRequest } from '../ports/models.ts';
import { generate } from './turn.ts';

function setup(script: Script, mayRetry = () => true) {
  const clock = new ManualClock();
  const models = new ScriptedModels(script);
  const given = new AbortController();
  const shown: ModelDelta[] = [];
  const waits: number[] = [];
  const stored: object[] = [];
  const request: ModelRequest = {
    choice: { provider: 'p', model: 'm', apiKey: '' },
    system: '',
    messages: [],
    tools: [],
    maxTokens: 10,
    affinity: 'x',
    signal: given.signal,
  };
  const outcome = generate(
    {
      models,
      clock,
      random: { bytes: (length) => new Uint8Array(length).fill(255), uuid: () => 'u' },
      onDelta: (delta) => void shown.push(delta as ModelDelta),
      onStatus: () => {},
      hasNext: false,
      mayRetry,
      onRetry: (_error, inMs) => void waits.push(inMs),
      checkpoint: (partial) => void stored.push(partial),
    },
    request,
  );
  return { clock, models, given, shown, waits, stored, outcome };
}

describe('a generation', () => {
  test('[A45] is tried again with growing waits while the failure may pass', async () => {
    const { clock, models, waits, outcome } = setup((_request, turn) =>
      turn < 3 ? fails('busy', true) : says('there'),
    );
    await clock.advance(0);
    expect([models.requests.length, waits]).toEqual([1, [1250]]);
    await clock.advance(1249);
    expect(models.requests).toHaveLength(1);
    await clock.advance(1);
    expect([models.requests.length, waits]).toEqual([2, [1250, 5000]]);
    await clock.advance(5000);
    await clock.advance(18_750);
    expect(await outcome).toMatchObject({ kind: 'message', content: [{ text: 'there' }] });
    expect(waits).toEqual([1250, 5000, 18_750]);
  });

  test('[A45] is given up after three more tries, with what the last one said', async () => {
    const { clock, models, outcome } = setup((_request, turn) => fails(`busy ${turn}`, true));
    await clock.advance(60_000);
    expect(await outcome).toMatchObject({ kind: 'failed', error: 'busy 3' });
    expect(models.requests).toHaveLength(4);
  });

  test('[A46] is not tried again when that cannot help', async () => {
    const { clock, models, outcome } = setup(() => fails('401: the key is not accepted', false));
    expect(await outcome).toMatchObject({ kind: 'failed', error: '401: the key is not accepted' });
    expect([models.requests.length, clock.waiting]).toEqual([1, []]);
  });

  test('[A46] stops at once while it waits to try again', async () => {
    const { clock, models, given, outcome } = setup(() => fails('busy', true));
    await clock.advance(500);
    given.abort();
    expect(await outcome).toMatchObject({ kind: 'aborted' });
    expect([models.requests.length, clock.waiting]).toEqual([1, []]);
  });

  test('[P374] is not tried again once that is another’s to do, and says what it has used', async () => {
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.5 };
    let may = true;
    const failure: ModelOutcome = { kind: 'failed', error: 'cut', retryable: true, partial: [], usage };
    const { clock, models, outcome } = setup(
      () => failure,
      () => may,
    );
    await clock.advance(1_250);
    may = false;
    await clock.advance(60_000);
    expect(await outcome).toMatchObject({ kind: 'aborted', lapsed: true, usage: { input: 20, cost: 1 } });
    expect([models.requests.length, clock.waiting]).toEqual([2, []]);
  });

  test('[A47] counts what failed tries used, too', async () => {
    const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, cost: 0.5 };
    const failure: ModelOutcome = { kind: 'failed', error: 'cut', retryable: true, partial: [], usage };
    const { clock, outcome } = setup((_request, turn) => (turn === 0 ? failure : { ...says('ok'), usage }));
    await clock.advance(5000);
    expect((await outcome).usage).toEqual({ input: 20, output: 2, cacheRead: 0, cacheWrite: 0, cost: 1 });
  });
});

describe('streaming', () => {
  test('[A48] deltas close together are shown as one, in order, and a new try begins anew', async () => {
    const clock = new ManualClock();
    const shown: string[] = [];
    const stored: string[] = [];
    const delta = (text: string): ModelDelta => ({ type: 'text_delta', contentIndex: 0, delta: text });
    const outcome = generate(
      {
        clock,
        random: { bytes: (length) => new Uint8Array(length), uuid: () => 'u' },
        onDelta: (event) => void shown.push('delta' in event ? event.delta : event.type),
        onStatus: () => {},
        hasNext: false,
        onRetry: () => {},
        checkpoint: ({ text }) => void stored.push(text),
        models: {
          list: async () => [],
          describe: async () => undefined,
          relayed: () => false,
          generate: async (_request, onDelta) => {
            for (const text of ['a', 'b', 'c']) onDelta(delta(text));
            await new Promise<void>((resolve) => void clock.after(100, resolve));
            onDelta(delta('d'));
            await new Promise<void>((resolve) => void clock.after(4000, resolve));
            onDelta(delta('e'));
            return says('abcde');
          },
        },
      },
      {
        choice: { provider: '', model: '', apiKey: '' },
        system: '',
        messages: [],
        tools: [],
        maxTokens: 1,
        affinity: '',
        signal: new AbortController().signal,
      },
    );
    await clock.advance(40);
    expect(shown).toEqual(['start', 'abc']);
    await clock.advance(5000);
    await outcome;
    expect(shown.slice(0, 4)).toEqual(['start', 'abc', 'd', 'e']);
    expect(stored).toEqual(['abcde']);
  });
});
