import { text } from '../../support/model-replies.ts';
import { startModelServer } from '../../support/model-server.ts';
import { type Pair, paired, type Row, rowOf } from '../row.ts';
import { type Seeded, seededConversation } from '../seeded.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 15;
const TURNS = 25;
const LONG = 10_000;
const SHORT = 100;
/** Either history is longer than what a model with this window is shown: both send the same. */
const WINDOW_TOKENS = 32_768;

/** A conversation of 10,000 messages against one of 100: opening it after a restart, and a turn in it. */
export async function conversations(site: BenchSite): Promise<Row[]> {
  const model = await startModelServer({ models: ['scripted'] });
  model.respond(() => text('A plain answer of a usual length, said in a sentence or two. '.repeat(4)));
  const settings = { provider: 'openai-compatible', baseUrl: model.url, model: 'scripted' };
  const config = { 'users/1000/ai/context_window': String(WINDOW_TOKENS) };
  const start = (count: number) => seededConversation(site, count, settings, config);
  const [long, short] = await Promise.all([start(LONG), start(SHORT)]);
  try {
    const opened = await paired(
      RUNS,
      () => openAfresh(long),
      () => openAfresh(short),
      2,
    );
    const turns = await paired(
      TURNS,
      () => turnIn(long),
      () => turnIn(short),
      3,
    );
    return [
      against(`opening a conversation of ${LONG} messages`, 1.5, opened),
      against(`agent turn at ${LONG} messages`, 1.3, turns),
    ];
  } finally {
    await Promise.all([long.profile.stop(), short.profile.stop(), model.close()]);
  }
}

function against(name: string, budget: number, pairs: Pair[]): Row {
  return rowOf({ name, peer: `the same with ${SHORT} messages`, unit: 'ms', budget }, pairs);
}

async function openAfresh({ profile, pid }: Seeded): Promise<number> {
  await profile.restart();
  return profile.run('openConversation', pid);
}

function turnIn({ profile, pid }: Seeded): Promise<number> {
  return profile.run('turn', pid, 'And what about the fox?');
}
