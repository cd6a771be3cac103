import { afterEach, describe, expect, test } from 'vitest';
import { DayOfUse } from '../support/day-of-use.ts';
import { filesBelow, Planted } from '../support/planted.ts';

let day: DayOfUse | null = null;

afterEach(async () => {
  await day?.end();
  day = null;
});

/** The planted strings that whoever holds the server finds, by where they were put: in its files, its log, and what passed. */
async function foundAtServer(sealed: boolean): Promise<{ planted: Planted; found: Set<string> }> {
  const planted = new Planted();
  day = await DayOfUse.begin(planted);
  await day.live(sealed);
  const { passed, dataDir, printed } = day.atServer();
  return { planted, found: planted.in([printed, ...passed, ...filesBelow(dataDir)]) };
}

describe('a day of use with kills and a restored server', { timeout: 170_000 }, () => {
  test('[S201] of a sealed GSV the server has and sees none of 200 planted strings', async () => {
    const { planted, found } = await foundAtServer(true);
    expect(planted.all.length).toBeGreaterThanOrEqual(200);
    expect([...found]).toEqual([]);
  });

  test('[S201] the scan bites: of one that is not sealed it finds them all', async () => {
    const { planted, found } = await foundAtServer(false);
    const hidden = planted.all.filter((one) => !found.has(one));
    // A provider's key is sealed for an invitation, and never stands in a document.
    expect(hidden.filter((one) => !one.includes('-key-'))).toEqual([]);
  });
});
