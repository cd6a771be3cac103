import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushBrowser } from './push-browser.ts';
import { waitFor } from './server.ts';

/** A push service of the web, as far as it concerns whoever sends: takes messages for one browser. */
export class PushService {
  readonly url: string;
  readonly messages: unknown[] = [];
  /** What it answers next, instead of 201. */
  readonly answers: number[] = [];
  readonly #server: Server;

  private constructor(server: Server, browser: PushBrowser) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/send/1`;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { authorization = '', 'content-encoding': coding } = request.headers;
      const known = coding === 'aes128gcm' && authorization.startsWith('vapid t=');
      if (known) this.messages.push(await browser.read(new Uint8Array(Buffer.concat(chunks))));
      response.writeHead(known ? (this.answers.shift() ?? 201) : 401).end();
    });
  }

  static async start(browser: PushBrowser): Promise<PushService> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PushService(server, browser);
  }

  /** Waits until so many messages have come. */
  async count(count: number): Promise<void> {
    await waitFor(() => this.messages.length >= count, `${count} push messages`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
