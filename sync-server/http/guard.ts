/** Host names by which a machine always reaches itself. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Why a request must not be served, or undefined. A page of another site is refused by its Origin, a name that
 * was made to point here (DNS rebinding) by its Host. `allowedHosts` are names, or names with a port.
 */
export function refusal(request: Request, allowedHosts: readonly string[]): string | undefined {
  const url = new URL(request.url);
  const host = (request.headers.get('host') ?? url.host).toLowerCase();
  if (!isAllowedHost(host, allowedHosts)) return `The host name ${host} is not allowed here`;
  const origin = request.headers.get('origin');
  if (origin !== null && !isSameOrigin(origin, host, url.protocol))
    return 'Requests from other sites are not allowed';
  return undefined;
}

export function isAllowedHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '');
  return LOOPBACK.has(name) || allowedHosts.some((allowed) => [name, host].includes(allowed.toLowerCase()));
}

/** Behind a proxy that ends TLS the page is https while this request is http; the other way round is refused. */
function isSameOrigin(origin: string, host: string, protocol: string): boolean {
  return origin === `${protocol}//${host}` || origin === `https://${host}`;
}
