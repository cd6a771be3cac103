import { text } from '../support/model-replies.ts';
import { startModelServer } from '../support/model-server.ts';
import { Profile } from './profile.ts';
import { BenchSite } from './site.ts';
export async function main() {
  const site = await BenchSite.start();
  const model = await startModelServer({ models: ['scripted'] });
  const at: number[] = [];
  model.respond(() => { at.push(performance.now()); return text('A plain answer of a usual length, said in a sentence or two. '.repeat(4)); });
  const profile = await Profile.setUp(site, { provider: 'openai-compatible', baseUrl: model.url, model: 'scripted' });
  const pid = await profile.run('spawn');
  for (let i = 0; i < 10; i++) await profile.run('turn', pid, 'hello there');
  const p = (profile as any).context().pages().at(-1);
  for (let i = 0; i < 8; i++) console.log(await p.evaluate((pid: string) => (globalThis as any).trace(pid, 'hello'), pid));
  await profile.stop(); await model.close(); await site.stop();
}
