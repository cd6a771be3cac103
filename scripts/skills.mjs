import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/**
 * Writes `skills/` as one JSON file, which a kernel fetches at setup to seed a new home:
 * `[{name, files: [{path, text}]}]`, `path` relative to the skill's folder.
 */
export function packSkills(file) {
  const json = JSON.stringify(readSkills());
  if (!existsSync(file) || readFileSync(file, 'utf8') !== json) writeFileSync(file, json);
}

function readSkills() {
  const folder = join(root, 'skills');
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return names.map(({ name }) => ({ name, files: readTexts(join(folder, name), '') })).sort(byName);
}

function readTexts(folder, prefix) {
  return readdirSync(folder, { withFileTypes: true })
    .sort(byName)
    .flatMap((entry) => {
      const path = prefix + entry.name;
      if (entry.isDirectory()) return readTexts(join(folder, entry.name), `${path}/`);
      return [{ path, text: readFileSync(join(folder, entry.name), 'utf8') }];
    });
}

function byName(a, b) {
  return a.name < b.name ? -1 : 1;
}
