import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the repository. `path` is relative to the root, with forward slashes. */
export type Source = { path: string; text: string };

/** The files that git knows or would add, whose name ends with one of the extensions. */
export function readSources(extensions: string[]): Source[] {
  const listed = execFileSync('git', ['ls-files', '-coz', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter(
      (path) => extensions.some((extension) => path.endsWith(extension)) && existsSync(join(root, path)),
    )
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const statement =
  /^[ \t]*(?:import|export)\s[^'";]*?\bfrom\s*['"]([^'"]+)['"]|^[ \t]*import\s*['"]([^'"]+)['"]/gm;
const call = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** What a module imports, as written. */
export function importsOf(text: string): string[] {
  const found = [...text.matchAll(statement), ...text.matchAll(call)];
  return found.map((match) => match[1] ?? match[2] ?? '');
}

/** The repository path that a relative import names. */
export function resolveImport(from: string, specifier: string): string {
  return join(dirname(from), specifier).replaceAll('\\', '/');
}
