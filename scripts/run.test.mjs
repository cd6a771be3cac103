import { expect, test } from 'vitest';
import { run, tail } from './run.mjs';

const node = (script, options) => run(process.execPath, ['--eval', script], options);

test('[W46] a program’s end and what it printed are told, without colours', async () => {
  const script = `console.log('\\x1b[31mout\\x1b[0m'); console.error('err'); process.exitCode = 3`;
  expect(await node(script)).toEqual({ code: 3, output: expect.stringMatching(/^(out\nerr\n|err\nout\n)$/) });
});

test('[W46] a program that cannot be started is a failed one', async () => {
  expect(await run('/nonexistent/program', [])).toEqual({
    code: 127,
    output: expect.stringContaining('ENOENT'),
  });
});

test('[W46] a program that hangs is ended with everything it started', async () => {
  // The sleeping child holds the output open: this run would last as long as it.
  const script = `require('node:child_process').spawn('sleep', ['600'], { stdio: 'inherit' }); setInterval(() => {}, 1000)`;
  expect((await node(script, { limitMs: 500 })).code).toBe(124);
});

test('[W46] the end of a long output is kept', () => {
  expect(tail('a\nb\nc\n\n', 2)).toBe('b\nc');
});
