import { setTimeout as pause } from 'node:timers/promises';
import { paired, type Row, rowOf } from '../row.ts';
import { seededConversation } from '../seeded.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 15;
const MESSAGES = 100_000;
/** What `IndexKeeper` needs for so many messages, and then to read what it has made. */
const INDEXED_MS = 60_000;
const READ_MS = 20_000;
/** Prime to the number of messages: places that lie apart. */
const STRIDE = 7_919;

/** The first search for words of a long conversation that nobody has searched, against reading one of its messages. */
export async function search(site: BenchSite): Promise<Row[]> {
  const { profile, pid } = await seededConversation(site, MESSAGES);
  let at = 0;
  const next = (): number => {
    at = (at + STRIDE) % MESSAGES;
    return at;
  };
  try {
    await profile.restart();
    await pause(INDEXED_MS);
    await profile.restart();
    await pause(READ_MS);
    const pairs = await paired(
      RUNS,
      () => profile.run('search', pid, String(next())),
      () => profile.run('readMessage', pid, next()),
      2,
    );
    const described = { name: `a search of ${MESSAGES} messages`, peer: 'reading one of them' };
    return [rowOf({ ...described, unit: 'ms', budget: 10 }, pairs)];
  } finally {
    await profile.stop();
  }
}
