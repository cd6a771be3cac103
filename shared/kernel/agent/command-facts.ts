import { loadInterpreter } from '../shell/interpreter.ts';
import { resolvePath } from './command-paths.ts';
import type { Tag } from './command-program.ts';
import { type ScriptFacts, ScriptReader } from './script-reader.ts';

export type CommandFacts = ScriptFacts;
export type CommandContext = {
  /** Where the command starts; relative to nothing, or below `~`. */
  cwd: string;
  home: string;
};

/** What a command line does, by its syntax tree and never by its text. What cannot be parsed is unclassified. */
export async function commandFacts(input: string, { cwd, home }: CommandContext): Promise<CommandFacts> {
  const { Bash } = await loadInterpreter();
  const bash = new Bash({ commands: [], defenseInDepth: false });
  const start = resolvePath(cwd, { cwd: '/', home });
  const reader = new ScriptReader((text) => bash.transform(text).ast, { cwd: start, start, home });
  return reader.read(input);
}

/** Below a directory this near to the root, paths have too little in common. */
const SHALLOW = 2;

/**
 * The words that "Remember" stands for, and that a later command must have as well to be let through; empty where that
 * would not be narrow. Programs of many commands are remembered by their subcommand, those that work on files by
 * their options and the directory, anything else word by word.
 */
export function rememberWords({ plain, tags }: CommandFacts): string[] {
  if (!plain || tags.includes('privileged')) return [];
  const { words, cwd, name, subcommand, options, operands } = plain;
  const risky = tags.includes('destructive');
  if (name === undefined || tags.includes('unclassified'))
    return risky ? [] : [words.map(quoted).join(' '), `in ${cwd}`];
  if (subcommand !== undefined && risky) return [];
  // What goes over the network may go elsewhere, and what stands before the subcommand may mean another place.
  if (subcommand !== undefined && !tags.includes('network') && words[1] === subcommand)
    return [name, subcommand];
  if (operands.length === 0 && risky) return [];
  const place = subcommand === undefined ? placeOf(operands, tags) : undefined;
  if (!place) return [words.map(quoted).join(' '), `in ${cwd}`];
  return [name, ...options, place, ...(/^([/~]|\w+:)/.test(place) ? [] : [`in ${cwd}`])];
}

/** What the operands have in common: the directory they are in, or the site of an address. */
function placeOf(operands: readonly string[], tags: readonly Tag[]): string | undefined {
  const places = new Set(operands.map(tags.includes('network') ? siteOf : directoryOf));
  const [place] = places;
  return places.size === 1 ? place : undefined;
}

function siteOf(operand: string): string | undefined {
  return /^https?:\/\/[\w.-]+(:\d+)?(?=\/|$)/.exec(operand)?.[0];
}

function directoryOf(operand: string): string | undefined {
  const path = operand.replace(/\/+$/, '');
  const plain = /^[\w/~.+@-]+$/.test(path) && !path.split('/').includes('..');
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  const depth = directory.split('/').filter((segment) => segment !== '' && segment !== '.').length;
  return plain && depth >= (directory.startsWith('/') ? SHALLOW : 1) && directory !== '~/'
    ? directory
    : undefined;
}

function quoted(word: string): string {
  return /^[\w./:=@%+,~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
