import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ClaimedRoom } from '../support/claimed-room.ts';
import { RoomClient } from '../support/room-client.ts';

export function doorRules(room: () => ClaimedRoom): void {
  const get = (
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${room().address.url.replace('localhost', '127.0.0.1')}${path}`,
        { headers },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (text: string) => (body += text));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
          );
        },
      );
      outgoing.on('error', reject).end();
    });

  describe('the door', () => {
    test('[R44] names that are not this server are refused, whatever they ask for', async () => {
      for (const path of ['/health', '/', '/gsv.mjs']) {
        expect((await get(path, { host: 'evil.example' })).status, path).toBe(403);
      }
      for (const host of ['localhost:1', '127.0.0.1', '[::1]:99'])
        expect((await get('/health', { host })).status, host).toBe(200);
      await expect(
        RoomClient.open(room().address.socketUrl, undefined, { host: 'evil.example' }),
      ).rejects.toThrow('403');
    });

    test('[R45] pages of other sites are refused, our own is not', async () => {
      const { host } = new URL(room().address.socketUrl);
      for (const origin of ['https://evil.example', 'null', `http://evil.${host}`, 'http://127.0.0.1:1']) {
        await expect(
          RoomClient.open(room().address.socketUrl, undefined, { origin }),
          origin,
        ).rejects.toThrow('403');
      }
      for (const origin of [`http://${host}`, `https://${host}`]) {
        const client = await RoomClient.open(room().address.socketUrl, undefined, { origin });
        await client.close();
      }
    });

    test('[R46] every answer carries the security headers', async () => {
      for (const path of ['/health', '/nothing.js', '/gsv.mjs']) {
        const { headers } = await get(path);
        expect(headers['content-security-policy'], path).toContain("default-src 'none'");
        expect(headers['content-security-policy'], path).not.toMatch(/unsafe-inline|'unsafe-eval'/);
        expect(headers, path).toMatchObject({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
        });
      }
    });

    test('[R47] sockets are at /ws alone, and /ws is a socket', async () => {
      expect((await get('/ws')).status).toBe(426);
      const { socketUrl } = room().address;
      await expect(RoomClient.open(socketUrl.replace('/ws', '/health'))).rejects.toThrow('404');
      await expect(RoomClient.open(socketUrl.replace('/ws', '/parties/main/gsv'))).rejects.toThrow('404');
    });
  });
}
