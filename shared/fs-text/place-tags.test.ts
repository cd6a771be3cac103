import { expect, test } from 'vitest';
import { placeTags } from './place-tags.ts';

test.each([
  'src/a.ts',
  './a',
  'a/../b',
  '~/notes/a.md',
  '/home/me/project/a',
  '/Users/me/project/a',
  '/root/project/a',
  '/var/www/site/index.html',
  '/tmp/x',
  '/private/tmp/x',
  '/var/folders/zz/T/x',
  '.gitignore',
  'sub/.editorconfig',
  'bin/cli.js',
  'etc/x',
  'a..b/..c.'.replace('..c.', 'c..'),
])('[P510] a place of work: %s', (path) => {
  expect(placeTags(path)).toEqual([]);
});

test.each([
  ['.git/hooks/pre-commit', 'hidden-path'],
  ['.GIT/config', 'hidden-path'],
  ['a/.git', 'hidden-path'],
  ['~/.bashrc', 'hidden-path'],
  ['~/.ssh/authorized_keys', 'hidden-path'],
  ['/home/me/.config/autostart/x.desktop', 'hidden-path'],
  ['/proc/self/cwd/.bashrc', 'hidden-path outside-home'],
  ['/proc/self/cwd/a', 'outside-home'],
  ['/etc/cron.d/x', 'outside-home'],
  ['/home/me/../../etc/passwd', 'outside-home'],
  ['/tmp/../etc/passwd', 'outside-home'],
  ['/var/tmp/../spool/cron/me', 'outside-home'],
  ['//etc//passwd', 'outside-home'],
  ['../other/a', 'outside-home'],
  ['a/../../b', 'outside-home'],
  ['~/../ada/a', 'outside-home'],
  ['~/bin/ls', 'outside-home'],
  ['/root/bin/ls', 'outside-home'],
  ['/root/.bashrc', 'hidden-path'],
  ['~/Library/LaunchAgents/x.plist', 'outside-home'],
  ['/users/me/library/x', 'outside-home'],
  ['/opt/homebrew/bin/git', 'outside-home'],
  ['...x', 'hidden-path'],
])('[P510] %s is %s', (path, tags) => {
  expect(placeTags(path).join(' ')).toBe(tags);
});
