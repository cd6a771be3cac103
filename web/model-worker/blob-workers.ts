type Policy = { createScriptURL(url: string): string };
type Factory = {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
};

/**
 * Lets a library of this worker start Workers from the code that it carries, which Trusted Types forbid to plain strings.
 * Only blobs of this worker's own making pass. Called once, before the library is loaded.
 */
export function allowBlobWorkers(): void {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  if (!factory) return;
  const policy = factory.createPolicy('gsv', { createScriptURL: ownBlob });
  const Native = globalThis.Worker;
  globalThis.Worker = class extends Native {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(policy.createScriptURL(String(url)), options);
    }
  };
}

function ownBlob(url: string): string {
  if (!url.startsWith(`blob:${location.origin}/`)) throw new TypeError(`Not a worker of ours: ${url}`);
  return url;
}
