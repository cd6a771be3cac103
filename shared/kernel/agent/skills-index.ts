import type { Credentials } from '../fs/credentials.ts';
import type { FileSystem } from '../fs/file-system.ts';
import { FsError } from '../fs/fs-error.ts';
import { joinPath } from '../fs/paths.ts';
import { readSkillHead } from './skill-head.ts';

export type SkillSource = { kind: 'home' | 'package'; label: string; writable: boolean };
export type SkillEntry = {
  /** The path of its directory below its source: what `skills show` takes. */
  id: string;
  name: string;
  description: string;
  directory: string;
  source: SkillSource;
};

export const SKILL_FILE = 'SKILL.md';
/** FACTS, Numbers. */
const DEPTH = 4;
const DESCRIPTION_CHARACTERS = 220;
const PACKAGES = '/src/packages';

/**
 * The skills that a caller can read, sorted by id: its home's, then those of packages. Of two with one id the earlier
 * source wins. What cannot be read is passed over.
 */
export async function readSkillIndex(fs: FileSystem, caller: Credentials): Promise<SkillEntry[]> {
  const found = new Map<string, SkillEntry>();
  for (const { directory, source } of await sources(fs, caller)) {
    for (const id of await skillPaths(fs, caller, directory, '', DEPTH)) {
      if (found.has(id)) continue;
      const entry = await readEntry(fs, caller, joinPath(directory, id), id, source);
      if (entry) found.set(id, entry);
    }
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function sources(
  fs: FileSystem,
  caller: Credentials,
): Promise<{ directory: string; source: SkillSource }[]> {
  const home = {
    directory: `${caller.home}/skills.d`,
    source: { kind: 'home', label: '~/skills.d', writable: true } as const,
  };
  const packages = await subdirectories(fs, caller, PACKAGES);
  return [
    home,
    ...packages.map((name) => ({
      directory: `${PACKAGES}/${name}/skills.d`,
      source: { kind: 'package', label: name, writable: false } as const,
    })),
  ];
}

/** Directories that hold a skill, as paths below `top`; a skill's own directories hold no further ones. */
async function skillPaths(
  fs: FileSystem,
  caller: Credentials,
  top: string,
  below: string,
  depth: number,
): Promise<string[]> {
  if (depth === 0) return [];
  const paths: string[] = [];
  for (const name of await subdirectories(fs, caller, below === '' ? top : `${top}/${below}`)) {
    const path = below === '' ? name : `${below}/${name}`;
    if (await fs.exists(`${top}/${path}/${SKILL_FILE}`, caller)) paths.push(path);
    else paths.push(...(await skillPaths(fs, caller, top, path, depth - 1)));
  }
  return paths;
}

async function subdirectories(fs: FileSystem, caller: Credentials, path: string): Promise<string[]> {
  const entries = await readable(fs.readdir(path, caller));
  return (entries ?? []).filter(({ kind }) => kind === 'dir').map(({ name }) => name);
}

async function readEntry(
  fs: FileSystem,
  caller: Credentials,
  directory: string,
  id: string,
  source: SkillSource,
): Promise<SkillEntry | undefined> {
  const bytes = await readable(fs.readFile(`${directory}/${SKILL_FILE}`, caller));
  if (!bytes) return undefined;
  const { name = id, description = '' } = readSkillHead(new TextDecoder().decode(bytes)).fields;
  return { id, name, description: cut(description), directory, source };
}

function cut(description: string): string {
  const line = description.replaceAll(/\s+/g, ' ').trim();
  return line.length > DESCRIPTION_CHARACTERS
    ? `${line.slice(0, DESCRIPTION_CHARACTERS - 1).trimEnd()}…`
    : line;
}

async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FsError) return undefined;
    throw error;
  }
}
