import { expect, test } from 'vitest';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { commandFacts } from '../agent/command-facts.ts';
import { mayBeEndless } from './endless-syntax.ts';

const endless = [
  'echo $(($ ))',
  'echo $(($>1))',
  '(($))',
  'echo $((1+$))',
  'echo $(("$"))',
  'echo $((a["$ "]))',
  'echo $[$>]',
  'echo \x24{a:$ }',
  'echo \x24{a:1:$>}',
  'for (($;;)); do ls; done',
  'echo $(($\\\na))',
  'echo $(\\\n($ ))',
  'ls $(($a',
  'x=$(($#',
  'echo "))"; echo $((a,$b',
  '$((\x24{',
  'eval "echo \\$((\\$ ))"',
];

test.each(endless)('[P516] not read, and asked for: %j', async (input) => {
  const { tags } = await commandFacts(input, { cwd: '/home/me', home: '/home/me' });
  expect(tags).toContain('unclassified');
});

test.each([
  'echo $((1 + $# + $? + \x24{a}))',
  "grep 'a$' f",
  'echo \x24{x:-1} $y; sed s/a$// f',
  'i=$((i + 1)); echo $i',
])('[P516] but what ends is: %j', (input) => {
  expect(mayBeEndless(input)).toBe(false);
});

test('[P516] an agent that runs one in GSV is told, and the kernel goes on', async () => {
  const kernel = new TestKernel((_request, turn) =>
    turn === 0 ? calls({ name: 'Shell', args: { target: 'gsv', input: 'echo $(($ ))' } }) : says('so be it'),
  );
  const page = await kernel.ready();
  await page.call('sys.config.set', {
    key: 'users/1000/ai/tools/approval',
    value: '{"default":"auto","rules":[]}',
  });
  const sent = await page.call('proc.send', { message: 'count' });
  if (!sent.ok) throw new Error(sent.error);
  await page.finished(sent.runId);
  expect(JSON.stringify(kernel.models.requests[1]?.messages.at(-1))).toContain('cannot be read here');
});
