import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readAll, streamOf } from '../../shared/protocol/streams.ts';
import { type ClaimedRoom, claimRoom, tokens } from '../support/claimed-room.ts';
import { type RunningDriver, runGsv, startDriver } from '../support/driver.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { outputOf } from '../support/shell-output.ts';

let base: string;
let work: string;
let server: TestServer;
let room: ClaimedRoom;
let driver: RunningDriver;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'gsv-driver-'));
  work = join(base, 'work');
  await mkdir(work);
  server = await startServer();
  room = await claimRoom(server);
  driver = await startDriver({
    url: server.url,
    token: tokens.laptop,
    id: 'laptop',
    workspace: work,
    stateDir: join(base, 'state'),
    args: ['--user', 'alice', '--wait', '1'],
  });
  await driver.waitConnected();
});

afterAll(async () => {
  await driver?.stop();
  await server?.stop();
  await rm(base, { recursive: true, force: true });
});

const environment = () => ({ GSV_URL: server.url, GSV_USER: 'alice', GSV_TOKEN: tokens.alice });
const gsv = (...args: string[]) => runGsv(args, environment());

describe('with the real room and no browser', () => {
  test('[D60] gsv exec runs a command on the device, polls it to its end and takes over its exit code', async () => {
    const result = await gsv('exec', '--target', 'laptop', '--', 'echo one; sleep 2; echo two; exit 5');
    expect(result).toEqual({ exitCode: 5, stdout: 'one\ntwo\n', stderr: '' });
  });

  test('[D60] gsv read and gsv devices answer from the device and the room', async () => {
    await writeFile(join(work, 'note'), 'hi\n');
    expect(await gsv('read', '--target', 'laptop', 'note')).toMatchObject({
      exitCode: 0,
      stdout: '     1\thi\n',
    });
    expect(await gsv('devices')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^laptop +online/),
    });
    expect(await gsv('read', '--target', 'elsewhere', 'note')).toMatchObject({
      exitCode: 1,
      stderr: '403 Access denied to device: elsewhere\n',
    });
  });

  test('[D60] a file of 20 MB goes to the device and back by way of the room', async () => {
    const alice = await room.user('alice');
    const bytes = randomBytes(20_000_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const to = { path: 'big', target: 'laptop' };
    const written = await alice.call('fs.transfer.write', to, { stream: streamOf(bytes), key: 'big' });
    expect(written.data).toMatchObject({ ok: true, size: bytes.length, sha256 });
    const { stream } = await alice.call('fs.transfer.read', to);
    const back = stream && (await readAll(stream, 2 * bytes.length));
    expect(back && createHash('sha256').update(back).digest('hex')).toBe(sha256);
    await alice.close();
  });

  test('[D60] a caller that is lost asks again with its key and gets the one answer', async () => {
    const command = { target: 'laptop', input: 'echo x >> effects; sleep 0.7; echo end' };
    const lost = await room.user('alice');
    lost.call('shell.exec', command, { key: 'once' }).catch(() => {});
    await vi.waitUntil(() => readFile(join(work, 'effects')).catch(() => undefined), 5000);
    lost.socket.terminate();
    const alice = await room.user('alice');
    const answer = await alice.call('shell.exec', command, { key: 'once' });
    expect(await outputOf((args) => alice.call('shell.exec', args), answer.data)).toBe('end\n');
    expect(await readFile(join(work, 'effects'), 'utf8')).toBe('x\n');
    await alice.close();
  });

  test('[D79] gsv tell leaves a message, from its words or from standard input', async () => {
    expect(await gsv('tell', 'hello', 'there')).toMatchObject({ exitCode: 0, stdout: 'Told.\n' });
    const piped = await runGsv(['tell', '--process', 'task:1', '-'], environment(), 'from a pipe');
    expect(piped).toMatchObject({ exitCode: 0 });
    expect(await gsv('tell', '-')).toMatchObject({ exitCode: 2 });
    expect(await gsv('tell')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('No message') });
    const { data } = await room.replica.call('inbox.list', {});
    const { items } = data as { items: { content: string }[] };
    expect(items.map(({ content }) => JSON.parse(Buffer.from(content, 'base64').toString()))).toEqual([
      { text: 'hello there' },
      { text: 'from a pipe', pid: 'task:1' },
    ]);
  });
});
