import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deferred } from '../../shared/std/deferred.ts';
import { ManualClock } from '../../tests/support/manual-clock.ts';
import { INTERRUPTED, Journal, type JournalLimits, journalLimits } from './journal.ts';

let directory: string;
let clock: ManualClock;
let open: Journal[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gsv-journal-'));
  clock = new ManualClock();
});
afterEach(async () => {
  await Promise.all(open.map((journal) => journal.close()));
  open = [];
  await rm(directory, { recursive: true, force: true });
});

async function journal(limits: JournalLimits = journalLimits): Promise<Journal> {
  const opened = await Journal.open(directory, clock, limits);
  open.push(opened);
  return opened;
}

const file = () => join(directory, 'journal.jsonl');
const never = () => Promise.reject(new Error('It ran again'));
/** Whether a key would run again, asked by running something that changes nothing of the journal. */
async function isForgotten(of: Journal, key: string): Promise<boolean> {
  let ran = false;
  const probe = async (): Promise<never> => {
    ran = true;
    throw new Error('only a probe');
  };
  await of.once(key, 'fs.write', probe).catch(() => {});
  return ran;
}

describe('the journal', () => {
  test('[D36] that a call started is on disk before it runs', async () => {
    const written = await (await journal()).once('k', 'fs.write', () => readFile(file(), 'utf8'));
    expect(written).toContain('"key":"k","call":"fs.write"');
  });

  test('[D36] a start without an end is interrupted, after any number of restarts', async () => {
    const first = await journal();
    void first.once('k', 'fs.write', () => deferred().promise);
    await expect.poll(() => readFile(file(), 'utf8')).toContain('started');
    for (let restart = 0; restart < 3; restart += 1) {
      const again = await (await journal()).once('k', 'fs.write', never);
      expect(again).toEqual({ ok: false, error: INTERRUPTED });
    }
  });

  test('[D35] a call that came to nothing may run again', async () => {
    const of = await journal();
    await expect(of.once('k', 'fs.write', never)).rejects.toThrow('It ran again');
    expect(await of.once('k', 'fs.write', async () => 'second')).toBe('second');
    expect(await (await journal()).once('k', 'fs.write', never)).toBe('second');
  });

  test('[D39] what is older than the age is dropped when it opens', async () => {
    const of = await journal();
    await of.once('old', 'fs.write', async () => 1);
    await clock.advance(journalLimits.ageMs - 1000);
    await of.once('new', 'fs.write', async () => 2);
    await clock.advance(2000);
    const reopened = await journal();
    expect(await reopened.once('new', 'fs.write', never)).toBe(2);
    expect(await isForgotten(reopened, 'old')).toBe(true);
  });

  test('[D39] beyond the number of entries the oldest go, and answers survive the rewriting', async () => {
    const of = await journal({ ...journalLimits, entries: 20 });
    await Promise.all(
      Array.from({ length: 200 }, (_, n) => of.once(`k${n}`, 'fs.write', async () => `result ${n}`)),
    );
    await of.once('one more', 'fs.write', async () => 0);
    for (let n = 190; n < 200; n += 1) expect(await of.once(`k${n}`, 'fs.write', never)).toBe(`result ${n}`);
    expect(await isForgotten(of, 'k100')).toBe(true);
    expect((await readFile(file(), 'utf8')).split('\n').length).toBeLessThan(80);
  });

  test('[D39] the file stays within its bytes, and a running call is never dropped', async () => {
    const of = await journal({ ...journalLimits, bytes: 50_000 });
    const slow = deferred<string>();
    const running = of.once('slow', 'fs.write', () => slow.promise);
    const output = 'x'.repeat(4000);
    for (let n = 0; n < 40; n += 1) await of.once(`k${n}`, 'fs.write', async () => ({ output }));
    expect((await stat(file())).size).toBeLessThan(60_000);
    expect(await of.once('k39', 'fs.write', never)).toEqual({ output });
    slow.resolve('late');
    expect(await running).toBe('late');
    expect(await (await journal()).once('slow', 'fs.write', never)).toBe('late');
  });

  test('[D39] of long output the head and tail are stored, and the stored answer says so', async () => {
    const of = await journal();
    const result = { status: 'completed', output: `first${'x'.repeat(150_000)}last`, exitCode: 0 };
    expect(await of.once('k', 'shell.exec', async () => result)).toBe(result);
    const stored = (await of.once('k', 'shell.exec', never)) as typeof result;
    expect(stored).toMatchObject({ status: 'completed', truncated: true, exitCode: 0 });
    expect(stored.output).toMatch(/^firstx+\n\[\d+ characters left out\]\nx+last$/);
    expect((await stat(file())).size).toBeLessThan(70_000);
  });

  test('[D35] lines that are no records are passed over', async () => {
    await writeFile(
      file(),
      'nonsense\n{"key":1}\n{"key":"k","call":"fs.write","time":0,"state":"done","result":5}\nto',
    );
    expect(await (await journal()).once('k', 'fs.write', never)).toBe(5);
  });
});
