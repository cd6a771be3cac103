import { readSkillIndex, SKILL_FILE, type SkillEntry } from '../../agent/skills-index.ts';
import { joinPath } from '../../fs/paths.ts';
import {
  type CommandContext,
  type CommandResult,
  columns,
  failed,
  misused,
  printed,
  type ShellCommand,
} from '../command.ts';
import { eachFile } from '../walk-files.ts';

export const skills: ShellCommand = {
  name: 'skills',
  summary: 'find and read skills',
  usage: 'skills list\nskills search TEXT\nskills show SKILL\nskills files SKILL\nskills read SKILL FILE',
  async run([verb = 'list', ...args], context) {
    const index = await readSkillIndex(context.fs, context.credentials);
    if (verb === 'list') return printed(listed(index));
    if (verb === 'search' && args.length > 0) return search(index, args.join(' '), context);
    const skill = index.find(({ id, name }) => id === args[0] || name === args[0]);
    if (!['show', 'files', 'read'].includes(verb) || args[0] === undefined) return misused(skills);
    if (!skill) return failed('skills', `no skill named ${args[0]}; see: skills list`);
    if (verb === 'show') return read(skill, SKILL_FILE, context);
    if (verb === 'files') return files(skill, context);
    return args[1] === undefined ? misused(skills) : read(skill, args[1], context);
  },
};

function listed(entries: readonly SkillEntry[]): string {
  if (entries.length === 0) return 'no skills';
  return columns(entries.map(({ id, source, description }) => [id, source.label, description]));
}

/** Skills that have every word in their name, description or text. */
async function search(
  index: readonly SkillEntry[],
  text: string,
  context: CommandContext,
): Promise<CommandResult> {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found: SkillEntry[] = [];
  for (const skill of index) {
    const body = await textOf(skill, SKILL_FILE, context);
    const all = `${skill.id} ${skill.name} ${skill.description} ${body}`.toLowerCase();
    if (words.every((word) => all.includes(word))) found.push(skill);
  }
  return found.length > 0 ? printed(listed(found)) : failed('skills', `nothing found for ${text}`);
}

async function files(skill: SkillEntry, context: CommandContext): Promise<CommandResult> {
  const paths: string[] = [];
  for await (const path of eachFile(skill.directory, true, context)) {
    const { kind } = await context.fs.stat(path, context.credentials);
    if (kind === 'file') paths.push(path.slice(skill.directory.length + 1));
  }
  return printed(paths.join('\n'));
}

async function read(skill: SkillEntry, file: string, context: CommandContext): Promise<CommandResult> {
  return printed(await textOf(skill, file, context));
}

async function textOf(skill: SkillEntry, file: string, { fs, credentials }: CommandContext): Promise<string> {
  return new TextDecoder().decode(await fs.readFile(joinPath(skill.directory, file), credentials));
}
