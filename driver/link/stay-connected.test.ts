import { beforeEach, describe, expect, test } from 'vitest';
import { SyscallError } from '../../shared/protocol/errors.ts';
import { deferred } from '../../shared/std/deferred.ts';
import type { Random } from '../../shared/std/random.ts';
import { ManualClock } from '../../tests/support/manual-clock.ts';
import { BackOff } from './back-off.ts';
import { explainRefusal } from './refusal.ts';
import { type Line, stayConnected } from './stay-connected.ts';

const steady: Random = { bytes: () => new Uint8Array([255]), uuid: () => '' };
const scattered = (byte: number): Random => ({ bytes: () => new Uint8Array([byte]), uuid: () => '' });

let clock: ManualClock;
let stop: AbortController;
let told: string[];

beforeEach(() => {
  clock = new ManualClock();
  stop = new AbortController();
  told = [];
});

function stay(connect: () => Promise<Line>): Promise<void> {
  const events = {
    connected: () => void told.push('connected'),
    disconnected: (reason: string) => void told.push(`disconnected: ${reason}`),
    refused: (message: string) => void told.push(message),
  };
  const explain = (thrown: unknown) => explainRefusal(thrown, 'http://x', 'laptop');
  return stayConnected(connect, explain, events, new BackOff(steady), clock, stop.signal);
}

describe('staying connected', () => {
  test('[D43] pauses double from half a second to 30 s and are scattered', () => {
    const backOff = new BackOff(steady);
    const pauses = Array.from({ length: 9 }, () => Math.round(backOff.pause() / 100) / 10);
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 16, 29.9, 29.9, 29.9]);
    expect(new BackOff(scattered(0)).pause()).toBe(250);
    expect(new BackOff(scattered(255)).pause()).toBeGreaterThan(490);
  });

  test('[D43] a connection that lasted makes the next attempt soon; one that broke at once does not', () => {
    const backOff = new BackOff(steady);
    for (let n = 0; n < 5; n += 1) backOff.pause(100);
    expect(backOff.pause(100)).toBeGreaterThan(10_000);
    expect(backOff.pause(60_000)).toBeLessThan(500);
  });

  test('[D44] a refused token is said once and tried again every 30 s', async () => {
    let attempts = 0;
    const staying = stay(() => {
      attempts += 1;
      return Promise.reject(new SyscallError(401, 'Authentication failed'));
    });
    await clock.advance(29_000);
    expect(attempts).toBe(1);
    await clock.advance(61_000);
    expect(attempts).toBe(4);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('expired or revoked');
    stop.abort();
    await staying;
  });

  test('[D40] it connects again after every loss, and hangs up when stopped', async () => {
    const lines: { lose(reason: string): void; hungUp: string[] }[] = [];
    const staying = stay(async () => {
      const ended = deferred<string>();
      const hungUp: string[] = [];
      lines.push({ lose: ended.resolve, hungUp });
      return {
        ended: ended.promise,
        hangUp: (reason) => {
          hungUp.push(reason);
          ended.resolve(reason);
        },
      };
    });
    await clock.advance(0);
    lines[0]?.lose('gone');
    await clock.advance(1000);
    expect(told).toEqual(['connected', 'disconnected: gone', 'connected']);
    stop.abort();
    await staying;
    expect(lines.map(({ hungUp }) => hungUp)).toEqual([[], ['the driver was stopped']]);
    expect(clock.waiting).toEqual([]);
  });

  test('[D42] a stop while it connects is not kept waiting, and the late connection is hung up', async () => {
    const line = deferred<Line>();
    const staying = stay(() => line.promise);
    stop.abort();
    await staying;
    const hungUp = deferred<string>();
    line.resolve({ ended: new Promise(() => {}), hangUp: hungUp.resolve });
    expect(await hungUp.promise).toBe('the driver was stopped');
  });
});
