import type { Reply } from './model-replies.ts';
import { text, tool } from './model-replies.ts';
import type { Recorded } from './model-server.ts';

/**
 * A model that does what the last message of a person says, whoever asks: `write PATH: TEXT` and `read PATH` on GSV's own
 * files, `run COMMAND` on the device `box`, and for anything else an answer that repeats it.
 */
export function byWord({ body }: Recorded): Reply {
  const last = body.messages.at(-1);
  if (last?.role === 'tool') return text(`Result: ${wordsOf(last.content)}`);
  const said = wordsOf(last?.content);
  const write = /write (\S+): (.*)/.exec(said);
  if (write) return tool('Write', { target: 'gsv', path: write[1] ?? '', content: write[2] ?? '' });
  const read = /read (\S+)/.exec(said);
  if (read) return tool('Read', { target: 'gsv', path: read[1] ?? '' });
  const run = /run (.+)/.exec(said);
  if (run) return tool('Shell', { target: 'box', input: run[1] ?? '' });
  return text(`Heard: ${said}`);
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return blocks.map(({ text: words }) => (typeof words === 'string' ? words : '')).join('');
}
