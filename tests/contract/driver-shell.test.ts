import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CallOptions } from '../../shared/protocol/peer.ts';
import type { Args, Result } from '../../shared/syscalls/table.ts';
import { type RunningDriver, startDriver } from '../support/driver.ts';
import { DriverRoom } from '../support/driver-room.ts';

let base: string;
let work: string;
let room: DriverRoom;
let driver: RunningDriver;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'gsv-driver-'));
  work = join(base, 'work');
  await mkdir(join(work, 'sub'), { recursive: true });
  room = await DriverRoom.start();
  driver = await startDriver({
    url: room.url,
    token: 'gsv_node_shell',
    id: 'laptop',
    workspace: work,
    stateDir: join(base, 'state'),
    args: ['--wait', '2', '--lifetime', '6'],
    environment: { HOME: base, SHELL: '/bin/bash', GSV_TOKEN: 'gsv_node_environment' },
  });
  await driver.waitConnected();
});

afterAll(async () => {
  await driver.stop();
  await room.close();
  await rm(base, { recursive: true, force: true });
});

const sh = (input: string, more: Partial<Args<'shell.exec'>> = {}, options?: CallOptions) =>
  room.call('shell.exec', { input, ...more }, options);

/** Polls until the command has ended; gives the last result with all the output. */
async function finish(first: Result<'shell.exec'>): Promise<Result<'shell.exec'> & { output: string }> {
  let result = first;
  let output = '';
  for (;;) {
    if ('ok' in result) throw new Error(result.error);
    output += result.output;
    if (result.status !== 'running') return { ...result, output };
    result = await sh('', { sessionId: result.sessionId });
  }
}

function sessionOf(result: Result<'shell.exec'>): string {
  if ('status' in result && result.status === 'running') return result.sessionId;
  throw new Error(`Not running: ${JSON.stringify(result)}`);
}

/** A process that ended but was not yet taken note of by its parent counts as dead. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function pidsIn(file: string): Promise<number[]> {
  return (await readFile(join(work, file), 'utf8')).trim().split('\n').map(Number);
}

describe('one command', () => {
  test('[D25] a command that ends in time is completed, with its output and exit code', async () => {
    expect(await sh('echo hello; exit 3')).toEqual({ status: 'completed', output: 'hello\n', exitCode: 3 });
    expect(await sh('kill -9 $$')).toMatchObject({ status: 'completed', exitCode: 137 });
  });

  test('[D25] standard output and error arrive in the order they were written', async () => {
    const lines = Array.from({ length: 50 }, (_, n) => (n % 2 ? `err ${n}` : `out ${n}`));
    const result = await sh('for n in $(seq 0 2 48); do echo out $n; echo err $((n+1)) >&2; done');
    expect(result).toMatchObject({ output: `${lines.join('\n')}\n` });
  });

  test('[D26] it runs in the workspace or in cwd, with the user’s shell and environment less our secrets', async () => {
    expect(await sh('pwd; echo $GSV_TARGET $HOME $0')).toMatchObject({
      output: `${work}\nlaptop ${base} /bin/bash\n`,
    });
    expect(await sh('pwd', { cwd: 'sub' })).toMatchObject({ output: `${join(work, 'sub')}\n` });
    expect(await sh('pwd', { cwd: '~' })).toMatchObject({ output: `${base}\n` });
    expect(await sh('env | grep -c gsv_node')).toMatchObject({ output: '0\n' });
    expect(await sh('pwd', { cwd: 'none' })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('none'),
    });
  });

  test('[D25] a command longer than an argument may be, and bytes that are no text, are run and shown', async () => {
    const long = `echo start; : '${'x'.repeat(300_000)}'; echo end`;
    expect(await sh(long)).toMatchObject({ output: 'start\nend\n', exitCode: 0 });
    expect(await sh("printf 'a\\xffb\\x1b[31m'")).toMatchObject({ output: 'a\ufffdb\x1b[31m' });
  });

  test('[P515] git runs nothing for a directory of files that only looks like a repository', async () => {
    const lure = join(work, 'lure');
    spawnSync('git', ['init', '--quiet', '--bare', lure]);
    const settings =
      '[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch pwned; false"\n';
    await writeFile(join(lure, 'config'), settings);
    const result = await finish(await sh('git status; git -C . ls-files -m; ls', { cwd: lure }));
    expect(result.output).toContain('safe.bareRepository');
    expect(result.output).not.toContain('pwned');
    // What is a repository is one.
    spawnSync('git', ['init', '--quiet', join(work, 'honest')]);
    expect(
      await finish(await sh('git status --short; echo fine', { cwd: join(work, 'honest') })),
    ).toMatchObject({
      output: 'fine\n',
    });
  });

  test('[D27] of a flood of output the head and the tail are kept, and truncated says so', async () => {
    const result = await finish(
      await sh('echo first; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo last'),
    );
    expect(result).toMatchObject({ status: 'completed', truncated: true });
    expect(result.output).toMatch(/^first\nx+\n\[\d+ characters left out\]\nx+\nlast\n$/);
    expect(result.output.length).toBeLessThan(201_000);
  });

  test('[D25] background processes neither delay the answer nor die with the command', async () => {
    const result = await sh('sleep 30 & echo $! > background; echo done');
    expect(result).toEqual({ status: 'completed', output: 'done\n', exitCode: 0 });
    const [pid = 0] = await pidsIn('background');
    expect(alive(pid)).toBe(true);
    process.kill(pid);
  });
});

describe('ripgrep', () => {
  test.skipIf(spawnSync('rg', ['--version']).status !== 0)(
    '[D32] without a path it searches the directory, not the session’s input, and a pipeline’s where there is one',
    async () => {
      await writeFile(join(work, 'sub', 'needle.txt'), 'needle\n');
      expect(await sh('rg needle', { cwd: 'sub' })).toMatchObject({
        status: 'completed',
        output: expect.stringContaining('needle'),
      });
      expect(await sh('echo a piped needle | rg -o piped', { cwd: 'sub' })).toMatchObject({
        output: 'piped\n',
      });
    },
  );
});

describe('sessions', () => {
  test('[D28] a command still running is answered within the wait budget and polled to its end', async () => {
    const first = await sh('echo one; sleep 3; echo two; exit 4');
    expect(first).toMatchObject({
      status: 'running',
      output: 'one\n',
      sessionId: expect.stringMatching(/^sh_/),
    });
    const end = await finish(first);
    expect(end).toMatchObject({ status: 'completed', output: 'one\ntwo\n', exitCode: 4 });
    const later = await sh('', { sessionId: sessionOf(first) });
    expect(later).toMatchObject({ status: 'completed', output: '', exitCode: 4 });
  });

  test('[D28] the wait ends before the caller’s own time is over', async () => {
    expect(await sh('sleep 3', {}, { timeoutMs: 1500 })).toMatchObject({ status: 'running' });
  });

  test('[D29] input goes to the command, Ctrl-D alone ends its input and Ctrl-C interrupts it', async () => {
    const sessionId = sessionOf(await sh('read name; echo hi $name; cat; echo over; sleep 20'));
    expect(await sh('Ann\n', { sessionId })).toMatchObject({ status: 'running', output: 'hi Ann\n' });
    expect(await sh('more\n', { sessionId })).toMatchObject({ status: 'running', output: 'more\n' });
    expect(await sh('\x04', { sessionId })).toMatchObject({ status: 'running', output: 'over\n' });
    const end = await sh('\x03', { sessionId });
    expect(end).toMatchObject({ status: 'completed', exitCode: 130 });
  });

  test('[D28] an unknown session is an operation error', async () => {
    expect(await sh('', { sessionId: 'sh_none' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('sh_none'),
    });
  });

  const family = (file: string) =>
    `echo $$ > ${file}; sleep 60 & echo $! >> ${file}; setsid sh -c 'echo $$ >> ${file}; trap "" TERM; while :; do sleep 1; done' & wait`;

  test('[D30] after its lifetime the whole tree is ended, also what left the group or ignores SIGTERM', async () => {
    const end = await finish(await sh(family('lifetime')));
    expect(end).toMatchObject({ status: 'failed', error: expect.stringContaining('longer than 6 seconds') });
    const pids = await pidsIn('lifetime');
    expect(pids).toHaveLength(3);
    await vi.waitUntil(() => !pids.some(alive), 5000);
  });

  test('[D30] a caller who gives a starting command up ends its tree', async () => {
    const abort = new AbortController();
    const call = sh(family('aborted'), {}, { signal: abort.signal });
    await vi.waitUntil(
      () =>
        existsSync(join(work, 'aborted')) &&
        readFileSync(join(work, 'aborted'), 'utf8').split('\n').length > 3,
      900,
    );
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 499 });
    const pids = await pidsIn('aborted');
    await vi.waitUntil(() => !pids.some(alive), 5000);
  });

  test('[D94] what left its session and its parents is ended with its command, too', async () => {
    const first = sh(
      `echo $$ > daemon; (setsid sh -c 'echo $$ >> daemon; exec sleep 60' < /dev/null > /dev/null 2>&1 &); sleep 60`,
    );
    const end = await finish(await first);
    expect(end).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('longer than 6 seconds'),
    });
    const pids = await pidsIn('daemon');
    expect(pids).toHaveLength(2);
    await vi.waitUntil(() => !pids.some(alive), 5000);
  });

  test('[D31] calls go on side by side: a long command delays no read', async () => {
    const long = sh('sleep 1.5');
    const started = Date.now();
    await room.call('fs.read', { path: '.' });
    expect(Date.now() - started).toBeLessThan(1200);
    await long;
  });
});
