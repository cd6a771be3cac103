import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { shownLine } from '../../../shared/fs-text/search-lines.ts';
import { isSystemError } from '../operation.ts';
import { type Match, SEARCHED_FILE_BYTES, type Search, skippedNames } from './matches.ts';

/** Bytes of a line that ripgrep prints: enough for what is shown of it in any alphabet. */
const LINE_BYTES = 2000;

const fixedArguments = [
  '--no-config',
  '--fixed-strings',
  '--case-sensitive',
  '--line-number',
  '--no-heading',
  '--with-filename',
  '--null',
  '--color=never',
  '--hidden',
  '--no-ignore',
  '--no-messages',
  `--max-filesize=${SEARCHED_FILE_BYTES}`,
  `--max-columns=${LINE_BYTES}`,
  '--max-columns-preview',
  ...skippedNames.map((name) => `--glob=!${name}`),
];

/** Searches with ripgrep. Resolves to false, having offered nothing, where there is no ripgrep. */
export async function searchWithRipgrep(...search: Parameters<Search>): Promise<boolean> {
  const [root, query, accepts, offer, signal] = search;
  const isFile = (await stat(root)).isFile();
  const base = isFile ? dirname(root) : root;
  const subject = isFile ? `./${basename(root)}` : './';
  const child = spawn('rg', [...fixedArguments, `--regexp=${query}`, '--', subject], {
    cwd: base,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  });
  if (!(await started(child))) return false;
  const closed = once(child, 'close').catch(() => {});
  await offerLines(child.stdout, ({ path, ...found }) => {
    const relativePath = path.replace(/^\.\//, '');
    return !accepts(relativePath) || offer({ path: join(base, relativePath), ...found });
  });
  child.kill();
  await closed;
  return true;
}

async function started(child: ChildProcess): Promise<boolean> {
  try {
    await once(child, 'spawn');
    return true;
  } catch (thrown) {
    if (isSystemError(thrown)) return false;
    throw thrown;
  }
}

async function offerLines(output: NodeJS.ReadableStream, offer: (match: Match) => boolean): Promise<void> {
  output.setEncoding('utf8');
  let rest = '';
  for await (const chunk of output) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const match = parseLine(line);
      if (match && !offer(match)) return;
    }
  }
}

/** `path NUL number:content`; anything else is a remark of ripgrep's, about a binary file for example. */
function parseLine(text: string): Match | undefined {
  const [, path, line, content] = /^([^\0]+)\0(\d+):([\s\S]*)$/.exec(text) ?? [];
  if (path === undefined || content === undefined) return undefined;
  return { path, line: Number(line), content: shownLine(content) };
}
