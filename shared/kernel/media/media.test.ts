import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { TestKernel, type TestPage } from '../../../tests/support/kernel.ts';
import { png } from '../../../tests/support/png.ts';
import { calls, says } from '../../../tests/support/scripted-models.ts';
import { imageSize } from '../../fs-text/image-size.ts';
import { mediaType } from '../../fs-text/media-type.ts';
import { readAll, streamOf } from '../../protocol/streams.ts';
import type { MediaBlock, MessageRow } from '../../state/conversation.ts';
import type { Result } from '../../syscalls/table.ts';
import type { ModelRequest } from '../ports/models.ts';
import { hydrate } from './hydrate.ts';
import { MEDIA_BYTES } from './media-store.ts';

/** Larger than what stands in the inode itself, so that its contents are a blob. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed * 1_000_003;
  return Uint8Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 0xff;
  });
}
const picture = (seed = 1) => new Uint8Array(png(60, 40, noise(60 * 40 * 3, seed)));
const utf8 = (value: string) => new TextEncoder().encode(value);

async function put(
  page: TestPage,
  bytes: Uint8Array,
  args: { name: string; mimeType?: string; pid?: string },
) {
  const { data } = await page.peer.call('proc.media.put', args, { stream: streamOf(new Uint8Array(bytes)) });
  const answer = data as Result<'proc.media.put'>;
  if (!answer.ok) throw new Error(answer.error);
  return answer.media;
}
const sent = async (page: TestPage, message: string, media: { path: string; transcription?: string }[]) => {
  const answer = await page.call('proc.send', { message, media });
  if (!answer.ok) throw new Error(answer.error);
  return (await page.finished(answer.runId)).payload;
};
const asked = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);
const blocks = async (page: TestPage, role: string): Promise<MediaBlock[]> => {
  const { messages } = await page.history();
  const content = messages
    .filter((message) => message.role === role)
    .flatMap(({ content: own }) => (Array.isArray(own) ? own : (own as { blocks: unknown[] }).blocks));
  return (content as MediaBlock[]).filter(({ type }) => type === 'media');
};
const read = async (page: TestPage, path: string): Promise<Uint8Array | null> => {
  const { data, stream } = await page.peer.call('fs.transfer.read', { path });
  return (data as { ok: boolean }).ok && stream ? readAll(stream, 1e9) : null;
};

describe('media of a process', () => {
  test('[P320] bytes are stored below /var/media for their owner alone, and told what they are by themselves', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const media = await put(page, picture(), { name: '../../a cat.PNG', mimeType: 'text/html' });
    expect(media).toMatchObject({
      kind: 'image',
      mimeType: 'image/png',
      name: '../../a cat.PNG',
      width: 60,
      height: 40,
    });
    expect(media.path).toMatch(/^\/var\/media\/1000\/init:1000\/[0-9a-f]{8}-[^/]+\.PNG$/);
    expect(await read(page, media.path)).toEqual(picture());
    const eve = await kernel.addAccount({ uid: 1001, username: 'eve', gids: [100] });
    await kernel.restart();
    expect(await read(await kernel.signedIn(eve), media.path)).toBeNull();
  });

  test('[P321] a message refers to its media; a model that sees images is shown them, another is told of them', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    const { path } = await put(page, picture(), { name: 'cat.png' });
    expect(await page.call('proc.send', { message: '' })).toMatchObject({ ok: false });
    await sent(page, '', [{ path }]);
    expect(await blocks(page, 'user')).toMatchObject([
      { kind: 'image', path, name: 'cat.png', width: 60, height: 40 },
    ]);
    expect(JSON.stringify(await page.history())).not.toContain('iVBORw0KGgo');
    const [shown] = kernel.models.requests;
    const base64 = Buffer.from(picture()).toString('base64');
    expect(shown?.messages[0]?.content).toEqual([
      { type: 'text', text: expect.stringContaining(`[image: cat.png, `) },
      { type: 'image', data: base64, mimeType: 'image/png' },
    ]);
    kernel.models.input = ['text'];
    await sent(page, 'and now?', []);
    expect(asked(kernel.models.requests[1])).toContain(`${path}; this model cannot see images]`);
    expect(asked(kernel.models.requests[1])).not.toContain(base64);
    await page.call('sys.config.set', { key: 'users/1000/ai/sees_images', value: 'true' });
    await sent(page, 'and with a setting?', []);
    expect(asked(kernel.models.requests[2])).toContain(base64);
  });

  test('[P322] text is inlined up to a cap; other documents and sound are named by their path', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    const note = await put(page, utf8('# A title\nand a line'), {
      name: 'note.md',
      mimeType: 'text/markdown',
    });
    const long = await put(page, utf8(`${'x'.repeat(60_000)}END`), { name: 'long.txt' });
    const pdf = await put(page, utf8('%PDF-1.7 and so on'), { name: 'bill.pdf' });
    const spoken = await put(page, Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0, 1), {
      name: 'voice.webm',
      mimeType: 'audio/webm',
    });
    expect([note, pdf, spoken].map(({ kind, mimeType }) => [kind, mimeType])).toEqual([
      ['document', 'text/markdown'],
      ['document', 'application/pdf'],
      ['audio', 'audio/webm'],
    ]);
    await sent(
      page,
      'read these',
      [note, long, pdf, { ...spoken, transcription: 'buy milk' }].map(({ path, ...more }) => ({
        path,
        ...('transcription' in more ? { transcription: more.transcription } : {}),
      })),
    );
    const text = asked(kernel.models.requests[0]);
    expect(text).toContain('# A title\\nand a line');
    expect(text).toContain('its first 60000 characters follow');
    expect(text).not.toContain('END');
    expect(text).toContain(`${pdf.path}; read it with your tools]`);
    expect(text).toContain('what is said in it: buy milk]');
  });

  test('[P323] a file of the caller is attached as a copy; what they may not read is not', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    await page.peer.call('fs.transfer.write', { path: '/home/ada/cat.png' }, { stream: streamOf(picture()) });
    await sent(page, 'look', [{ path: '/home/ada/cat.png' }]);
    const [media] = await blocks(page, 'user');
    expect(media).toMatchObject({
      name: 'cat.png',
      path: expect.stringMatching(/^\/var\/media\/1000\/init:1000\//),
    });
    await page.call('fs.delete', { path: '/home/ada/cat.png' });
    expect(await read(page, media?.path ?? '')).toEqual(picture());
    for (const path of ['/etc/shadow', '/home/ada/none', '/home/ada']) {
      expect(await page.call('proc.send', { message: 'x', media: [{ path }] }), path).toMatchObject({
        ok: false,
      });
    }
  });

  test('[P324] images that tools read are stored as files, not in the messages; older ones are still shown', async () => {
    const kernel = new TestKernel((_request, turn) =>
      turn === 0 ? calls({ name: 'Read', args: { target: 'gsv', path: '/home/ada/cat.png' } }) : says('done'),
    );
    const page = await kernel.ready();
    await page.peer.call('fs.transfer.write', { path: '/home/ada/cat.png' }, { stream: streamOf(picture()) });
    await page.run('what is on it?');
    const [kept] = await blocks(page, 'toolResult');
    expect(kept).toMatchObject({ kind: 'image', mimeType: 'image/png', width: 60 });
    const base64 = Buffer.from(picture()).toString('base64');
    expect(asked(kernel.models.requests[1])).toContain(base64);
    expect(JSON.stringify((await page.history()).messages)).not.toContain(base64);
    expect(kernel.disk.blobs.size).toBe(1);
    const inline = { type: 'image' as const, data: base64, mimeType: 'image/png' };
    const old: MessageRow = {
      id: 1,
      generation: 0,
      role: 'user',
      content: [inline],
      timestamp: 1,
      runId: null,
    };
    const store = { read: async () => undefined };
    expect(await hydrate([old], { store, seesImages: true })).toEqual([old]);
    expect(JSON.stringify(await hydrate([old], { store, seesImages: false }))).toContain('cannot see images');
  });

  test('[P325] a reset drops the media, but for what its archive refers to; a kill without one leaves nothing', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    const { path } = await put(page, picture(1), { name: 'cat.png' });
    const unsent = await put(page, picture(2), { name: 'dog.png' });
    await sent(page, 'look', [{ path }]);
    expect(kernel.disk.blobs.size).toBe(2);
    const reset = await page.call('proc.reset', {});
    if (!reset.ok) throw new Error(reset.error);
    expect([await read(page, path), await read(page, unsent.path)]).toEqual([null, null]);
    const archived = await read(page, reset.archives[0]?.path ?? '');
    const line = JSON.parse(
      gunzipSync(archived ?? new Uint8Array())
        .toString()
        .split('\n')[0] ?? '',
    );
    const kept = line.content.find(({ type }: { type: string }) => type === 'media').path;
    expect(kept).toMatch(/^\/var\/sessions\/ada\/init:1000\/media\/[0-9a-f]{8}-cat\.png$/);
    expect(await read(page, kept)).toEqual(picture(1));
    expect(kernel.disk.blobs.size).toBe(1);

    const spawned = await page.call('proc.spawn', { profile: 'task' });
    if (!spawned.ok) throw new Error(spawned.error);
    const other = await put(page, picture(3), { name: 'cow.png', pid: spawned.pid });
    await page.call('proc.send', { pid: spawned.pid, message: 'x', media: [{ path: other.path }] });
    await page.call('proc.kill', { pid: spawned.pid, archive: false });
    expect(await read(page, other.path)).toBeNull();
    expect(kernel.disk.blobs.size).toBe(1);
    await page.call('fs.delete', { path: '/var/sessions/ada/init:1000/media' });
    expect(kernel.disk.blobs.size).toBe(0);
  });

  test('[P413] a reset of one conversation drops its media, but for what another one refers to', async () => {
    const kernel = new TestKernel(() => says('done'));
    const page = await kernel.ready();
    const side = async (message: string, path: string): Promise<void> => {
      const about = { conversationId: 'side', message, media: [{ path }] };
      const told = await page.call('proc.send', about);
      if (!told.ok) throw new Error(told.error);
      await page.finished(told.runId);
    };
    await page.call('proc.conversation.open', { conversationId: 'side' });
    const [own, both] = [
      await put(page, picture(1), { name: 'own.png' }),
      await put(page, picture(2), { name: 'both.png' }),
    ];
    const other = await put(page, picture(3), { name: 'other.png' });
    await side('look', own.path);
    await side('and look', both.path);
    await sent(page, 'the same', [{ path: both.path }, { path: other.path }]);
    const reset = await page.call('proc.conversation.reset', { conversationId: 'side' });
    expect(reset).toMatchObject({ ok: true, archivedMessages: 4 });
    await expect.poll(() => read(page, own.path)).toBeNull();
    expect([await read(page, both.path), await read(page, other.path)]).toEqual([picture(2), picture(3)]);
    expect(kernel.disk.blobs.size).toBe(3);
    await page.call('proc.conversation.reset', { archive: false });
    await expect.poll(() => read(page, other.path)).toBeNull();
    expect(kernel.disk.blobs.size).toBe(2);
  });

  test('[P326] what is too large is refused with words', async () => {
    const kernel = new TestKernel();
    const page = await kernel.ready();
    const huge = new Uint8Array(MEDIA_BYTES.image + 1);
    huge.set(picture());
    await expect(put(page, huge, { name: 'poster.png' })).rejects.toThrow(
      '“poster.png” has 26 MiB; an image may have 25 MiB at most',
    );
    expect(kernel.disk.blobs.size).toBe(0);
  });

  test('[P327] a queued message keeps its media', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const kernel = new TestKernel(async (_request, turn) => {
      if (turn === 0) await held;
      return says('done');
    });
    const page = await kernel.ready();
    await page.send('first');
    const { path } = await put(page, picture(), { name: 'cat.png' });
    const second = await page.call('proc.send', { message: 'second', media: [{ path }] });
    if (!second.ok) throw new Error(second.error);
    expect(second.queued).toBe(true);
    go();
    await page.finished(second.runId);
    expect(await blocks(page, 'user')).toMatchObject([{ path }]);
  });
});

describe('files by their bytes', () => {
  test('[P328] the size of an image is read from its header, turned where a camera turned it', () => {
    expect(imageSize(picture())).toEqual({ width: 60, height: 40 });
    const gif = Uint8Array.of(...utf8('GIF89a'), 3, 0, 5, 0);
    expect(imageSize(gif)).toEqual({ width: 3, height: 5 });
    const frame = [0xff, 0xc0, 0, 17, 8, 0, 20, 0, 30, 3];
    expect(imageSize(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, ...frame))).toEqual({
      width: 30,
      height: 20,
    });
    const exif = [
      ...utf8('Exif'),
      0,
      0,
      ...utf8('MM'),
      0,
      42,
      0,
      0,
      0,
      8,
      0,
      1,
      1,
      0x12,
      0,
      3,
      0,
      0,
      0,
      1,
      0,
      6,
      0,
      0,
    ];
    const turned = Uint8Array.of(0xff, 0xd8, 0xff, 0xe1, 0, exif.length + 2, ...exif, ...frame);
    expect(imageSize(turned)).toEqual({ width: 20, height: 30 });
    expect(imageSize(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 4))).toBeUndefined();
    expect(imageSize(picture().subarray(0, 18))).toBeUndefined();
  });

  test.each([
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'document', 'text/plain'],
    ['<html><script>1</script>', 'text/html', 'document', 'text/html'],
    ['ID3\x03', 'image/png', 'audio', 'audio/mpeg'],
    ['RIFF\0\0\0\0WAVE', '', 'audio', 'audio/wav'],
    ['\0\0\0\x18ftypisom', '', 'video', 'video/mp4'],
    ['\0\x01\x02', 'image/png', 'document', 'application/octet-stream'],
  ])('[P329] %j that claims to be %j is %s, %s', (content, claimed, kind, mimeType) => {
    expect(mediaType(Buffer.from(content, 'latin1'), claimed)).toEqual({ kind, mimeType });
  });
});
