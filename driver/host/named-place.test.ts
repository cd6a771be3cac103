import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkNamed } from './named-place.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'gsv-named-')));
  for (const directory of ['.ssh', 'work/.git/hooks', 'work/src', 'notes'])
    mkdirSync(join(home, directory), { recursive: true });
  writeFileSync(join(home, '.bashrc'), '');
  symlinkSync('../.ssh', join(home, 'work/docs'));
  symlinkSync('../.bashrc', join(home, 'work/readme.md'));
  symlinkSync('.git/hooks', join(home, 'work/hooks'));
  symlinkSync('../.profile', join(home, 'work/not-yet'));
  symlinkSync('/etc', join(home, 'work/system'));
  symlinkSync('src', join(home, 'work/source'));
  symlinkSync('../notes', join(home, 'work/notes'));
});
afterEach(() => rmSync(home, { recursive: true }));

const check = (named: string) =>
  checkNamed(
    { home, workspace: join(home, 'work'), allowedRoot: undefined },
    named,
    join(home, 'work', named),
  );

test.each(['docs/authorized_keys', 'readme.md', 'hooks/pre-commit', 'system/x', 'not-yet'])(
  '[P514] not through a link: %s',
  async (named) => {
    await expect(check(named)).rejects.toThrow('by a link. To change that, name it by that path');
  },
);

test.each(['src/a', 'source/a', 'notes/a', '.git/hooks/x', 'new/a'])('[P514] but %s', async (named) => {
  await expect(check(named)).resolves.toBeUndefined();
});
