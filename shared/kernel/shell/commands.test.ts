import { describe, expect, test } from 'vitest';
import { alice, NOW, processRow, root } from '../../../tests/support/files-fixture.ts';
import { shellFixture as fixture } from '../../../tests/support/shell-fixture.ts';

describe('commands of our own', () => {
  test('[F60] whoami, id, hostname and uname tell who and where', async () => {
    const { run, exec } = await fixture();
    expect(await run('whoami; hostname; uname; uname -n -r')).toBe('alice\nbox\nGSV\nbox 1.2.3\n');
    expect(await run('id; id -u; id -gn; id root')).toBe(
      'uid=1000(alice) gid=100(users) groups=100(users)\n1000\nusers\nuid=0(root) gid=0(root) groups=0(root)\n',
    );
    expect((await exec({ input: 'id nobody' })).exitCode).toBe(1);
    expect((await exec({ input: 'hostname x' })).exitCode).toBe(1);
    expect((await exec({ input: 'uname -z' })).exitCode).toBe(1);
  });

  const modes: [before: string, spec: string, after: string][] = [
    ['644', '600', '600'],
    ['644', 'u+x', '744'],
    ['777', 'go-w', '755'],
    ['644', 'a=r,u+w', '644'],
    ['600', '+X', '600'],
    ['700', 'a+X', '711'],
    ['644', 'u+s,+t', '5644'],
    ['755', 'o=', '750'],
  ];
  test.each(modes)('[F61] chmod makes %s by %s to %s', async (before, spec, after) => {
    const { run, put } = await fixture();
    await put('f', '');
    expect(await run(`chmod ${before} f && chmod ${spec} f && stat -c %a f`)).toBe(`${after}\n`);
  });

  test('[F61] chmod and chown go through directories with -R, take names and numbers, and refuse what they must', async () => {
    const { run, exec, fs, put } = await fixture();
    await fs.mkdir('d', alice);
    await put('d/f', '');
    expect(await run('chmod -R go= d')).toBe('');
    expect((await fs.stat('d/f', alice)).mode).toBe(0o600);
    expect(await run('chown -R bob:users /home/alice/d', 'root')).toBe('');
    expect(await fs.stat('/home/alice/d/f', root)).toMatchObject({ uid: 1001, gid: 100 });
    expect(await run('chown 1000 /home/alice/d; chown :0 /home/alice/d/f', 'root')).toBe('');
    for (const input of [
      'chmod 999 d',
      'chmod u+q d',
      'chmod 600',
      'chmod 600 none',
      'chown alice',
      'chown nobody d',
      'chown bob d',
    ]) {
      expect((await exec({ input })).exitCode, input).not.toBe(0);
    }
  });

  test('[F94] notify makes a notification of its words and prints its id', async () => {
    const made = {
      notificationId: 'n1',
      title: 't',
      level: 'info',
      createdAt: NOW,
      readAt: null,
      dismissedAt: null,
      expiresAt: null,
      actions: [],
      source: { kind: 'user' },
    };
    const { run, exec, calls } = await fixture({ 'notification.create': () => ({ notification: made }) });
    expect(await run('notify "Backup done"; notify -l error "Backup failed" "The disk is full."')).toBe(
      'n1\nn1\n',
    );
    expect(calls).toEqual([
      ['notification.create', { title: 'Backup done', level: 'info' }],
      ['notification.create', { title: 'Backup failed', level: 'error', body: 'The disk is full.' }],
    ]);
    for (const input of ['notify', 'notify -l', 'notify -l loud x', 'notify a b c', 'notify ""']) {
      expect((await exec({ input })).exitCode, input).not.toBe(0);
    }
    expect(calls).toHaveLength(2);
  });

  const processes = { processes: [{ ...listed('init:1000'), label: 'Home' }, listed('task:7')] };
  function listed(pid: string) {
    const { uid, profile, parentPid, state, label, createdAt, workspaceId, cwd } = processRow(pid);
    return { pid, uid, profile, parentPid, state, label, createdAt, workspaceId, cwd };
  }

  test('[F62] ps and proc list show processes as proc.list answers', async () => {
    const { run } = await fixture({ 'proc.list': () => processes });
    const table =
      'PID        USER   STATE  PROFILE  LABEL\ninit:1000  alice  idle   init     Home\ntask:7     alice  idle   init     -\n';
    expect(await run('ps')).toBe(table);
    expect(await run('proc list')).toBe(table);
  });

  test('[F63] proc spawns, sends, aborts, resets, kills and reads history through syscalls', async () => {
    const archived = { ok: true, pid: 'task:7', archivedMessages: 3, archives: [] };
    const { run, calls } = await fixture({
      'proc.spawn': () => ({ ok: true, pid: 'task:7', profile: 'task', workspaceId: null, cwd: '/' }),
      'proc.ipc.send': () => ({
        ok: true,
        status: 'started',
        pid: 'task:7',
        sourcePid: 'init:1000',
        conversationId: 'default',
        runId: 'r9',
      }),
      'proc.abort': () => ({ ok: true, pid: 'task:7', aborted: false }),
      'proc.reset': () => archived,
      'proc.kill': () => archived,
      'proc.history': () => ({
        ok: true,
        pid: 'task:7',
        messages: [
          {
            id: 1,
            role: 'assistant',
            content: [
              { type: 'text', text: 'hi' },
              { type: 'toolCall', name: 'Read' },
            ],
            timestamp: NOW,
          },
        ],
        messageCount: 1,
      }),
    });
    expect(await run('proc spawn --label "My task" do it')).toBe('task:7\n');
    expect(await run('echo hello | proc send --pid task:7')).toBe('run r9\n');
    expect(await run('proc abort; proc reset task:7; proc kill task:7')).toBe(
      'no run was active\narchived 3 messages\narchived 3 messages\n',
    );
    expect(await run('proc history task:7 --limit 5')).toBe('#1 assistant: hi [Read]\n');
    expect(calls).toEqual([
      ['proc.spawn', { profile: 'task', label: 'My task', prompt: 'do it' }],
      ['proc.ipc.send', { message: 'hello\n', pid: 'task:7' }],
      ['proc.abort', {}],
      ['proc.reset', { pid: 'task:7' }],
      ['proc.kill', { pid: 'task:7' }],
      ['proc.history', { limit: 5, pid: 'task:7' }],
    ]);
  });

  test('[F63] a syscall that fails or is forbidden is an error of the command', async () => {
    const { exec } = await fixture({ 'proc.kill': () => ({ ok: false, error: 'Process not found' }) });
    expect(await exec({ input: 'proc kill x' })).toMatchObject({
      exitCode: 1,
      output: 'proc: Process not found\n',
    });
    expect(await exec({ input: 'ps' })).toMatchObject({
      exitCode: 1,
      output: 'ps: Permission denied: proc.list\n',
    });
    expect((await exec({ input: 'proc constructor' })).exitCode).toBe(2);
    expect((await exec({ input: 'proc kill' })).exitCode).toBe(2);
  });

  test('[F64] targets lists gsv and every device, offline ones too', async () => {
    const { run, calls } = await fixture({
      'sys.device.list': () => ({
        devices: [
          {
            deviceId: 'laptop',
            ownerUid: 1000,
            description: 'Work',
            platform: 'linux',
            version: '1',
            online: false,
            lastSeenAt: 0,
          },
        ],
      }),
    });
    expect(await run('targets')).toContain('laptop  offline  linux     Work\n');
    expect(calls).toEqual([['sys.device.list', { includeOffline: true }]]);
  });

  test('[F65] man explains every command of ours and every syscall, with its arguments', async () => {
    const { run, exec } = await fixture();
    expect(await run('man')).toContain('whoami    print the name of the user');
    expect(await run('man chmod')).toContain('chmod [-R] MODE FILE');
    const page = await run('man fs.read');
    expect(page).toContain('fs.read - Reads a file as numbered lines');
    expect(page).toMatch(/ {2}path +string/);
    expect(page).toMatch(/ {2}target\? +string +Where to run/);
    expect((await exec({ input: 'man nonesuch' })).exitCode).not.toBe(0);
  });

  test('[F66] cp within gsv is the shell’s own', async () => {
    const { run, put } = await fixture();
    await put('f', 'text');
    expect(await run('mkdir d; cp f d; cp -r d e; cat e/f; cp f ./a:b; cat a:b')).toBe('texttext');
  });

  test('[F67] cp TARGET:PATH TARGET:PATH streams a file and reports its bytes and hash', async () => {
    const { run, fs, text } = await fixture();
    const every = Uint8Array.from({ length: 256 }, (_, at) => at);
    await fs.writeFile('every', every, alice);
    await fs.mkdir('d', alice);
    expect(await run('cd d; cp gsv:../every gsv:./copy')).toMatch(
      /^gsv:\/home\/alice\/every -> gsv:\/home\/alice\/d\/copy \(256 bytes, sha256 [0-9a-f]{64}\)\n$/,
    );
    expect(await fs.readFile('d/copy', alice)).toEqual(every);
    await run('echo x > f; cp f gsv:~/d/');
    expect(await text('d/f')).toBe('x\n');
  });

  test('[F67] cp between targets calls the two ends, and says which one failed', async () => {
    const { exec, calls } = await fixture({
      'fs.transfer.read': () => ({ ok: false, error: 'no such file or directory: /x' }),
    });
    expect(await exec({ input: 'cp laptop:/x y' })).toMatchObject({
      exitCode: 1,
      output: 'cp: laptop:/x: no such file or directory: /x\n',
    });
    expect(calls).toEqual([['fs.transfer.read', { target: 'laptop', path: '/x' }]]);
    expect((await exec({ input: 'cp -r laptop:/x y' })).exitCode).toBe(1);
    expect((await exec({ input: 'cp laptop:/x y z' })).exitCode).toBe(2);
  });

  test('[F68] skills are listed, searched, shown and read from home and packages', async () => {
    const { run, exec, fs, put } = await fixture();
    await fs.mkdir('/home/alice/skills.d/git-help', alice, { recursive: true });
    await fs.mkdir('/src/packages/wiki/skills.d/pages', root, { recursive: true });
    await put(
      'skills.d/git-help/SKILL.md',
      '---\nname: git-help\ndescription: How to use git well.\n---\n# Git\nRebase carefully.\n',
    );
    await put('skills.d/git-help/notes.txt', 'more\n');
    await put(
      '/src/packages/wiki/skills.d/pages/SKILL.md',
      '---\nname: pages\ndescription: Write pages.\n---\n',
      root,
    );
    expect(await run('skills list')).toBe(
      'git-help  ~/skills.d  How to use git well.\npages     wiki        Write pages.\n',
    );
    expect(await run('skills search rebase')).toContain('git-help');
    expect(await run('skills show git-help')).toContain('Rebase carefully.');
    expect(await run('skills files git-help')).toBe('SKILL.md\nnotes.txt\n');
    expect(await run('skills read git-help notes.txt')).toBe('more\n');
    for (const input of [
      'skills show none',
      'skills search zzz',
      'skills read git-help none',
      'skills dance',
      'skills show',
    ]) {
      expect((await exec({ input })).exitCode, input).not.toBe(0);
    }
  });
});
