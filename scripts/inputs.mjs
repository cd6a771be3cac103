import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A hash over the contents of files and folders, relative to `folder`. A missing input counts as empty; tests are not
 * inputs of a build.
 */
export function hashOf(folder, inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap((input) => filesBelow(folder, input))) {
    const contents = readFileSync(join(folder, file));
    hash.update(`${file}\0${contents.length}\0`).update(contents);
  }
  return hash.digest('hex');
}

function filesBelow(folder, path) {
  const full = join(folder, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return /\.test\.[a-z]+$/.test(path) ? [] : [path];
  const names = readdirSync(full).sort();
  return names.flatMap((name) => filesBelow(folder, `${path}/${name}`));
}
