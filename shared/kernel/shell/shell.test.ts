import { describe, expect, test } from 'vitest';
import { alice, root } from '../../../tests/support/files-fixture.ts';
import { shellFixture as fixture } from '../../../tests/support/shell-fixture.ts';

describe('a script', () => {
  test('[F40] answers with its output, errors after it, and its exit code', async () => {
    const { exec } = await fixture();
    expect(await exec({ input: 'echo out; echo err >&2; exit 3' })).toEqual({
      status: 'completed',
      output: 'out\nerr\n',
      exitCode: 3,
    });
    expect(await exec({ input: 'nonesuch' })).toMatchObject({ status: 'completed', exitCode: 127 });
    expect(await exec({ input: 'if true; then' })).toMatchObject({ status: 'completed', exitCode: 2 });
    expect(await exec({ input: 'timeout 0.001 sleep 9; true' })).toMatchObject({ status: 'completed' });
  });

  test('[F40] is done when its files are on disk', async () => {
    const { exec, flush } = await fixture();
    let flushed = false;
    flush.run = async () => {
      flushed = true;
    };
    await exec({ input: 'echo x > f' });
    expect(flushed).toBe(true);
  });

  const documented: [input: string, output: string][] = [
    ['cat words | sort | uniq -c | sort -rn | head -1', '   2 b\n'],
    ['echo one > f; echo two >> f; cat < f; wc -l < f', 'one\ntwo\n2\n'],
    ['cat nothing 2> errors; cat errors', 'cat: nothing: No such file or directory\n'],
    [
      'mkdir -p d/e && touch d/1.txt d/2.txt d/e/3.md && echo d/*.txt d/**',
      'd/1.txt d/2.txt d/1.txt d/2.txt d/e\n',
    ],
    ['cat <<EOF\nhome $HOME\n  kept\nEOF', 'home /home/alice\n  kept\n'],
    ["cat <<'EOF'\n$HOME\nEOF", '$HOME\n'],
    ['for i in 1 2 3; do echo $((i * i)); done', '1\n4\n9\n'],
    ['i=0; while [ $i -lt 3 ]; do i=$((i+1)); done; echo $i', '3\n'],
    ['mkdir a; touch a/x.ts a/y.js; find . -name "*.ts" -type f', './a/x.ts\n'],
    ['mkdir a; echo needle > a/x; echo hay > a/y; grep -rn needle a', 'a/x:1:needle\n'],
    ["sed -i 's/b/B/g' words; cat words", 'B\na\nB\n'],
    ['awk \'{ n[$1]++ } END { print n["b"] }\' words', '2\n'],
    ['echo \'{"a":[1,2]}\' | jq -c .a', '[1,2]\n'],
    ['f() { echo "got $1"; }; f x', 'got x\n'],
    ['x=$(echo in); echo "$x"; echo "\x24{x^^}"', 'in\nIN\n'],
    ['ln -s words link; readlink link; cat link | head -1', 'words\nb\n'],
    ['mv words moved; cat moved | tail -1; ls', 'b\nmoved\n'],
    ['rm words; test -e words || echo gone', 'gone\n'],
    ['/bin/echo hi; which grep', 'hi\n/usr/bin/grep\n'],
    ['printf "a\\tb\\n" | cut -f2', 'b\n'],
    ['head -c 4 /dev/zero | wc -c', '4\n'],
    ['chmod 600 words; stat -c %a words', '600\n'],
    ['echo ok > script.sh; true && echo yes || echo no', 'yes\n'],
    ["printf '#!/bin/bash\\necho ran $1\\n' > s; chmod +x s; ./s x", 'ran x\n'],
  ];

  test.each(documented)('[F41] just-bash works over the native files: %s', async (input, output) => {
    const { put, run } = await fixture();
    await put('words', 'b\na\nb\n');
    expect(await run(input)).toBe(output);
  });

  test('[F41] bytes pass through pipes and redirects unchanged', async () => {
    const { fs, run } = await fixture();
    const every = Uint8Array.from({ length: 256 }, (_, at) => at);
    await fs.writeFile('every', every, alice);
    await run('cat every > copy; cp every again; cat every | cat >> copy');
    expect(await fs.readFile('again', alice)).toEqual(every);
    expect(await fs.readFile('copy', alice)).toEqual(Uint8Array.of(...every, ...every));
  });

  test('[F6] a file of 50 MB goes through the shell', async () => {
    const { fs, run } = await fixture();
    await fs.writeFile('large', new Uint8Array(50 * 1024 * 1024).fill(97), alice);
    expect(await run('cat large > copy; wc -c < copy')).toBe('52428800\n');
  });

  test('[F42] there is no network, no tar, and no program of the host', async () => {
    const { exec } = await fixture();
    for (const input of ['curl http://localhost', 'tar -cf x .', 'python3 -c 1', 'js-exec 1', 'sqlite3']) {
      expect((await exec({ input })).exitCode).not.toBe(0);
    }
  });

  test('[F43] has the identity, environment and rights of its process, and nothing else of the host', async () => {
    const { run, put } = await fixture();
    await put('/root/secret', 'x', root);
    expect(await run('echo $HOME $USER $LOGNAME $PWD $SHELL $GSV_PID $UID')).toBe(
      '/home/alice alice alice /home/alice /bin/bash init:1000 1000\n',
    );
    expect(await run('cat /root/secret; cat /etc/shadow')).not.toContain('x\n');
    expect(await run('echo x > /etc/passwd; echo y > /root/f; ls /root')).not.toContain('secret');
    expect(await run('cat /root/secret', 'root')).toBe('x');
    expect(
      (await run('env')).split('\n').some((line) => /^(PATH=(?!\/usr\/local\/bin:)|npm_|NODE)/.test(line)),
    ).toBe(false);
  });

  const refused: [input: string, output: string][] = [
    ['echo x > /etc/passwd; echo next', "next\nEACCES: permission denied, open '/etc/passwd'\n"],
    [
      'if echo x > /root/f; then echo yes; else echo no; fi',
      "no\nEACCES: permission denied, open '/root/f'\n",
    ],
    [
      'eval "echo x > /root/f"; echo $(echo x >> /root/g; echo $?)',
      "1\nEACCES: permission denied, open '/root/f'\n",
    ],
    [
      'for i in 1 2; do echo $i; done > /usr/f || echo failed',
      "failed\nEACCES: permission denied, open '/usr/f'\n",
    ],
    ['cat /root/secret; echo $?', '1\ncat: /root/secret: Permission denied\n'],
    [
      'cd /tmp; cat mine; head -1 nothing',
      'cat: mine: Permission denied\nhead: nothing: No such file or directory\n',
    ],
  ];
  test.each(refused)(
    '[F59] a file that is refused fails its own command and says why: %s',
    async (input, output) => {
      const { exec, fs, put } = await fixture();
      await put('/root/secret', 'x', root);
      await put('/tmp/mine', 'x', root);
      await fs.chmod('/tmp/mine', 0, root);
      const result = await exec({ input });
      const stderr = result.output.split('\n').filter((line) => !line.includes("'/root/g'"));
      expect(stderr.join('\n')).toBe(output);
    },
  );

  test('[F44] starts in cwd each time; neither directory nor variables last', async () => {
    const { exec, run, fs } = await fixture();
    await fs.mkdir('d', alice);
    expect(await run('cd d; X=1; pwd')).toBe('/home/alice/d\n');
    expect(await run('pwd; echo "[$X]"')).toBe('/home/alice\n[]\n');
    expect((await exec({ input: 'pwd', cwd: 'd' })).output).toBe('/home/alice/d\n');
    expect((await exec({ input: 'pwd', cwd: '~/d' })).output).toBe('/home/alice/d\n');
    expect(await exec({ input: 'pwd', cwd: 'nowhere' })).toEqual({
      ok: false,
      error: 'no such file or directory: nowhere',
    });
  });

  test('[F45] sessions are refused: the native shell keeps none', async () => {
    const { exec } = await fixture();
    expect(await exec({ input: '', sessionId: 's' })).toMatchObject({ ok: false });
  });

  test('[F46] /sys/config is set by a redirect, once and under its rules', async () => {
    const { run, tables } = await fixture();
    tables.config.put('users/1000/ai/model', { value: 'old' });
    const seen: (string | undefined)[] = [];
    tables.config.observe(() => seen.push(tables.config.get('users/1000/ai/model')?.value));
    expect(await run('echo new > /sys/config/users/1000/ai/model; cat /sys/config/users/1000/ai/model')).toBe(
      'new\n',
    );
    expect(seen).toEqual(['new']);
    expect(await run('echo x > /sys/config/config/server/name')).toMatch(/denied|EACCES/i);
  });
});

describe('limits', () => {
  test('[F47] output beyond 524,288 bytes is cut, between characters, and marked', async () => {
    const { exec, put } = await fixture();
    await put('large', 'ä'.repeat(400_000));
    const result = await exec({ input: 'cat large' });
    expect([new TextEncoder().encode(result.output).length, result.truncated]).toEqual([524_288, true]);
    expect(await exec({ input: 'cat large | wc -c' })).toEqual({
      status: 'completed',
      output: '800000\n',
      exitCode: 0,
    });
  });

  const exceeding: [input: string, error: RegExp][] = [
    ['echo a; while true; do :; done', /1000 commands/],
    ['echo a; f() { f; }; f', /deeper than 64/],
    ['echo a; for ((i=0; i<20000; i++)); do ((x++)); done', /1000 commands|10000 rounds/],
  ];
  test.each(exceeding)('[F48] %s ends as failed, with what it printed', async (input, error) => {
    const { exec } = await fixture();
    const result = await exec({ input });
    expect(result).toMatchObject({ status: 'failed', error: expect.stringMatching(error) });
    expect(result.output.startsWith('a\n')).toBe(true);
  });

  test('[F48] a script that has not ended after 30 s has failed', async () => {
    const { exec, clock } = await fixture();
    const asleep = clock.putOff(60_000);
    const running = exec({ input: 'echo a; sleep 60; echo b' });
    await asleep;
    clock.pass(30_000);
    const result = await running;
    expect(result).toMatchObject({ status: 'failed', error: 'no end after 30 s' });
    expect(result.output).not.toContain('b\n');
  });

  test('[F49] aborting ends the script, also before it began', async () => {
    const { exec, clock } = await fixture();
    const abort = new AbortController();
    const asleep = clock.putOff(60_000);
    const running = exec({ input: 'sleep 60' }, 'alice', abort.signal);
    await asleep;
    abort.abort();
    expect(await running).toMatchObject({ status: 'failed', error: 'aborted' });
    const started = exec({ input: 'echo x > f' }, 'alice', abort.signal);
    clock.pass(1000);
    expect(await started).toMatchObject({ status: 'failed', error: 'aborted' });
  });
});

describe('on a full disk', () => {
  const full = async (): Promise<never> => {
    throw new Error('This device has no space left for GSV.');
  };

  test('[S92] what a script wrote, moved and removed is taken back when the disk refuses it', async () => {
    const { exec, flush } = await fixture();
    const shown = 'cat kept moved/f; ls -l --time-style=full-iso . moved | grep -v total';
    await exec({ input: 'echo as it was > kept; mkdir moved; echo inside > moved/f; chmod 640 kept' });
    const before = await exec({ input: shown });
    flush.run = full;
    const script =
      'echo changed > kept; echo more >> kept; echo new > new; mkdir -p a/b; mv moved elsewhere; rm elsewhere/f; chmod 600 kept; cp kept copy; ln -s kept link';
    expect(await exec({ input: script })).toMatchObject({
      ok: false,
      error: expect.stringContaining('no space left'),
    });
    flush.run = async () => {};
    expect(await exec({ input: shown })).toEqual(before);
  });

  test('[S92] a script that only removes may take what is kept free for that', async () => {
    const { exec, flush } = await fixture();
    const asked: unknown[] = [];
    flush.run = async (space) => void asked.push(space);
    await exec({ input: 'mkdir d; echo x > d/f' });
    await exec({ input: 'rm -r d' });
    await exec({ input: 'echo x > f; rm f' });
    expect(asked).toEqual(['free', 'reserve', 'free']);
  });
});
