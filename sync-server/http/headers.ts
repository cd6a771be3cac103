/** What a page of ours may do (DESIGN 7). Providers and local model servers are reached by fetch, so https is open. */
const PAGE_POLICY: Readonly<Record<string, string>> = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'media-src': 'blob:',
  'font-src': "'self'",
  'connect-src': "'self' ws: wss: https: http://localhost:* http://127.0.0.1:*",
  'worker-src': "'self' blob:",
  'manifest-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'gsv',
};
/**
 * The worker that runs language models starts a Worker from code that its library carries; nobody else may. A worker's
 * policy is its own, so the page's stays as it is.
 */
const MODEL_WORKER = /^\/assets\/model-worker-[\w-]+\.js$/;
const MODEL_WORKER_POLICY: Readonly<Record<string, string>> = {
  ...PAGE_POLICY,
  'script-src': "'self' 'wasm-unsafe-eval' blob:",
  'connect-src': "'self' blob: https: http://localhost:* http://127.0.0.1:*",
};

function policyFor(pathname: string): string {
  const policy = MODEL_WORKER.test(pathname) ? MODEL_WORKER_POLICY : PAGE_POLICY;
  return Object.entries(policy)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
};

/** The response with the headers that every response carries. An upgrade is handed on as it is. */
export function secured(response: Response, pathname: string): Response {
  if (response.status === 101) return response;
  const copy = new Response(response.body, response);
  copy.headers.set('content-security-policy', policyFor(pathname));
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) copy.headers.set(name, value);
  return copy;
}

export function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}
