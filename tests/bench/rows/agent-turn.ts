import { text, tool } from '../../support/model-replies.ts';
import { type ModelServer, type Recorded, startModelServer } from '../../support/model-server.ts';
import type { PiOpening } from '../page/api.ts';
import { Profile } from '../profile.ts';
import { addedRowOf, type Pair, paired, type Row } from '../row.ts';
import type { BenchSite } from '../site.ts';

const RUNS = 41;
const WARM_UPS = 5;
const PATH = '/home/ada/notes.txt';
const ANSWER = 'A plain answer of a usual length, said in a sentence or two. '.repeat(4);
const ASK_PLAIN = 'What do you think of the fox?';
const ASK_TOOL = 'Read my notes, please.';
const PEER = 'pi-ai 0.74.2 alone in a SharedWorker';

/** A turn from `proc.send` to `proc.run.finished`, every step on disk, against the provider through pi-ai alone. */
export async function agentTurn(site: BenchSite): Promise<Row[]> {
  const model = await startModelServer({ models: ['scripted'] });
  model.respond(answerTo);
  const profile = await Profile.setUp(site, {
    provider: 'openai-compatible',
    baseUrl: model.url,
    model: 'scripted',
  });
  try {
    await profile.run('writeFile', PATH, 'alpha\nbeta\n');
    const plain = await measure(profile, model, ASK_PLAIN);
    const withTool = await measure(profile, model, ASK_TOOL);
    return [
      addedRowOf({ name: 'agent turn, text', peer: PEER }, 10, plain),
      addedRowOf({ name: 'agent turn, one native tool call', peer: PEER }, 20, withTool),
    ];
  } finally {
    await Promise.all([profile.stop(), model.close()]);
  }
}

/** Both sides in conversations of their own that grow alike, from the same system prompt and tools. */
async function measure(profile: Profile, model: ModelServer, asked: string): Promise<Pair[]> {
  const pid = await profile.run('spawn');
  await profile.run('turn', pid, ASK_PLAIN);
  const first = model.requests.at(-1);
  if (!first) throw new Error('The provider was not asked');
  await profile.run('openPi', openingLike(model, first));
  return paired(
    RUNS,
    () => profile.run('turn', pid, asked),
    () => profile.run('piTurn', asked),
    WARM_UPS,
  );
}

function answerTo({ body }: Recorded) {
  const last = body.messages.at(-1);
  const toRead = last?.role === 'user' && JSON.stringify(last.content).includes(ASK_TOOL);
  return toRead ? tool('Read', { target: 'gsv', path: PATH }) : text(ANSWER);
}

function openingLike(model: ModelServer, { body }: Recorded): PiOpening {
  const [system] = body.messages;
  return {
    baseUrl: model.url,
    model: 'scripted',
    system: typeof system?.content === 'string' ? system.content : JSON.stringify(system?.content),
    tools: (body.tools ?? []).map((entry) => ({ description: '', ...entry.function })),
    history: [ASK_PLAIN, ANSWER],
  };
}
