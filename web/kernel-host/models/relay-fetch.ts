import { toBase64 } from '../../../shared/std/bytes.ts';

export type RelayParts = {
  fetch: typeof fetch;
  /** Of the page and its room. */
  origin: string;
  /** The bearer token for the relay; null while there is none. */
  token(): string | null;
  /** Whether there is a relay that must not be used: this GSV is sealed. */
  withheld(): boolean;
};

/**
 * A fetch that goes through the room's relay where a provider refuses the browser (CORS). A refusal looks like any
 * network failure, so the direct way is tried first; an address that only the relay reached is remembered.
 */
export class RelayFetch {
  readonly #parts: RelayParts;
  readonly #relayed = new Set<string>();

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  get withheld(): boolean {
    return this.#parts.withheld();
  }

  /** Whether calls to this address go through the relay. */
  relays(address: string): boolean {
    return (
      this.#parts.token() !== null && URL.canParse(address) && this.#relayed.has(new URL(address).origin)
    );
  }

  /** As `fetch`: rejects with a TypeError when neither way leads there. */
  readonly fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    if (origin === this.#parts.origin) return this.#parts.fetch(request);
    if (this.relays(origin)) return this.#relay(request);
    const spare = request.clone();
    try {
      return await this.#parts.fetch(request);
    } catch (thrown) {
      if (request.signal.aborted || this.#parts.token() === null) throw thrown;
      const response = await this.#relay(spare).catch(() => null);
      if (!response) throw thrown;
      this.#relayed.add(origin);
      return response;
    }
  };

  async #relay(request: Request): Promise<Response> {
    const headers = JSON.stringify(Object.fromEntries(request.headers));
    const response = await this.#parts.fetch(new URL('/relay', this.#parts.origin), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#parts.token()}`,
        'x-gsv-url': request.url,
        'x-gsv-method': request.method,
        'x-gsv-headers': toBase64(new TextEncoder().encode(headers)),
      },
      ...(request.method === 'GET' ? {} : { body: await request.arrayBuffer() }),
      signal: request.signal,
    });
    // Only an answer of the provider itself carries its status; anything else is the relay's own refusal.
    if (!response.headers.has('x-gsv-status')) throw new TypeError('The server did not relay the request');
    return response;
  }
}
