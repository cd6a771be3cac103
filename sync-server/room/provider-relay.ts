import { messageOf, SyscallError } from '../../shared/protocol/errors.ts';
import { fromBase64 } from '../../shared/std/bytes.ts';
import { allowsRole, type Control, isReplicaToken, tokenState } from './control.ts';
import { configuredAddresses, isBelow, isOfTheCloud, parseAddress } from './relay-address.ts';

/** A request body longer than this is refused. */
export const RELAY_BODY_BYTES = 32 * 1024 * 1024;
const HEADERS_TEXT = 32 * 1024;
const METHODS = new Set(['GET', 'POST']);
/** Headers that belong to one hop, to this server, or to a browser's own state. */
const NOT_FORWARDED =
  /^(host|cookie|set-cookie|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length|origin|referer|forwarded|via|x-forwarded-.*|x-real-ip|proxy-.*|sec-.*|cf-.*|x-gsv-.*)$/;
/** Of a provider's answer only these come back. */
const RETURNED = ['content-type', 'retry-after', 'retry-after-ms', 'x-request-id', 'request-id'];

/**
 * Forwards one request to a model provider on behalf of an account and streams the answer back. `x-gsv-status` is
 * the provider's status; an answer without it is the relay's own refusal, `{error: {code, message}}`.
 */
export async function relayToProvider(
  request: Request,
  control: Control,
  now: number,
  fetcher: typeof fetch,
): Promise<Response> {
  try {
    const uid = await relayUser(request, control, now);
    const target = relayTarget(request, control, uid);
    return answerOf(await forward(request, target, fetcher));
  } catch (thrown) {
    const error = thrown instanceof SyscallError ? thrown : new SyscallError(502, unreachable(thrown));
    return Response.json({ error: { code: error.code, message: error.message } }, { status: error.code });
  }
}

async function relayUser(request: Request, control: Control, now: number): Promise<number> {
  const [, raw] = /^Bearer ([\w-]{1,256})$/.exec(request.headers.get('authorization') ?? '') ?? [];
  const token = raw === undefined ? undefined : await control.findToken(raw);
  const usable = token && (isReplicaToken(token) || (token.kind === 'user' && allowsRole(token, 'user')));
  if (!token || !usable || tokenState(token, now) !== 'live') {
    throw new SyscallError(401, 'The relay needs a token of this account');
  }
  return token.uid;
}

function relayTarget(request: Request, control: Control, uid: number): URL {
  const target = parseAddress(request.headers.get('x-gsv-url') ?? '');
  if (!target) throw new SyscallError(400, 'x-gsv-url is not an http address');
  if (!isBelow(target, configuredAddresses(control, uid))) {
    throw new SyscallError(403, `This account has not configured the address ${target.origin}`);
  }
  if (isOfTheCloud(target)) throw new SyscallError(403, `No provider is at ${target.origin}`);
  return target;
}

async function forward(request: Request, target: URL, fetcher: typeof fetch): Promise<Response> {
  const method = (request.headers.get('x-gsv-method') ?? 'POST').toUpperCase();
  if (!METHODS.has(method)) throw new SyscallError(405, `The relay does not forward ${method}`);
  const headers = forwardedHeaders(request.headers.get('x-gsv-headers'));
  const body = method === 'GET' ? null : boundedBody(request);
  return fetcher(target.href, { method, headers, body, redirect: 'manual', signal: request.signal });
}

/** The body as it arrives. A declared length is enforced by HTTP; one that is not declared is counted. */
function boundedBody(request: Request): ReadableStream<Uint8Array> | null {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) > RELAY_BODY_BYTES) throw tooLong();
  if (declared !== null || request.body === null) return request.body;
  let total = 0;
  return request.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        total += chunk.length;
        if (total > RELAY_BODY_BYTES) controller.error(tooLong());
        else controller.enqueue(chunk);
      },
    }),
  );
}

function tooLong(): SyscallError {
  return new SyscallError(
    413,
    `A request to a provider may be ${RELAY_BODY_BYTES / 1024 / 1024} MiB at most`,
  );
}

/** A redirect is not followed and not handed on: it leads to an address that nobody configured. */
function answerOf(upstream: Response): Response {
  if (upstream.status >= 300 && upstream.status < 400) {
    void upstream.body?.cancel().catch(() => {});
    throw new SyscallError(502, 'The provider answered with a redirect; configure the address it leads to');
  }
  const headers = new Headers({ 'x-gsv-status': String(upstream.status), 'cache-control': 'no-store' });
  for (const name of RETURNED) {
    const value = upstream.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = isEvents && upstream.body ? eventsToTheirEnd(upstream.body) : upstream.body;
  return new Response(body, { status: upstream.status, headers });
}

/** How providers themselves say in the middle of an answer that they fail. It begins by ending what was begun. */
const BROKEN_OFF = `\n\nevent: error\ndata: ${JSON.stringify({
  type: 'error',
  error: { type: 'api_error', message: 'The provider broke off in the middle of its answer' },
})}\n\n`;

/**
 * A runtime's HTTP ends an answer that breaks off as if that were all of it; in a stream of events the last one says that
 * it is not. Anything else that is cut short cannot be read as JSON.
 */
function eventsToTheirEnd(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await reader.read().catch(() => null);
        if (step?.done === false) return controller.enqueue(step.value);
        if (step === null) controller.enqueue(new TextEncoder().encode(BROKEN_OFF));
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function unreachable(thrown: unknown): string {
  return `The provider could not be reached: ${messageOf(thrown)}`;
}

/** Throws 400 unless `encoded` is base64 of a JSON object of strings. */
function forwardedHeaders(encoded: string | null): Headers {
  const headers = new Headers();
  if (encoded === null) return headers;
  if (encoded.length > HEADERS_TEXT) throw new SyscallError(413, 'x-gsv-headers is too long');
  try {
    const given: unknown = JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(fromBase64(encoded)),
    );
    if (typeof given !== 'object' || given === null) throw new Error('not an object');
    for (const [name, value] of Object.entries(given)) {
      if (typeof value !== 'string') throw new Error(`${name} is not text`);
      if (!NOT_FORWARDED.test(name.toLowerCase())) headers.set(name, value);
    }
  } catch {
    throw new SyscallError(400, 'x-gsv-headers is not base64 of a JSON object of strings');
  }
  return headers;
}
