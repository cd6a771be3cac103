/** The hub that models lie on, and where on it. */
export const HUB = 'https://huggingface.co';

/** Where a file of the hub lies. `mirror` stands in for the hub in networks that do not reach it. */
export function hubFile(repository: string, file: string, mirror = ''): string {
  return `${base(mirror)}/${repository}/resolve/main/${file}`;
}

/** Where the hub says size and SHA-256 of the files of a repository. */
export function hubListing(repository: string, mirror = ''): string {
  return `${base(mirror)}/api/models/${repository}/tree/main`;
}

function base(mirror: string): string {
  return (mirror || HUB).replace(/\/+$/, '');
}

/** The releases of compiled programs that the installed WebLLM runs (its `prebuiltAppConfig`). */
const PROGRAMS = 'https://raw.githubusercontent.com';
const RELEASE = 'mlc-ai/binary-mlc-llm-libs/main/web-llm-models/v0_2_86/base';

/** The files of a model of WebLLM: the folder of its weights, which ends with a slash, and its compiled program. */
export type WebllmPlace = { weights: string; program: string };

/** Where a proposed WebLLM model lies. A mirror has both below the same paths. */
export function webllmPlace(modelId: string, mirror = ''): WebllmPlace {
  const program = `${RELEASE}/${modelId.replace(/-MLC$/, '')}_cs1k-webgpu.wasm`;
  return {
    weights: `${base(mirror)}/mlc-ai/${modelId}/resolve/main/`,
    program: `${mirror ? base(mirror) : PROGRAMS}/${program}`,
  };
}

/** What a mirror has to serve, as paths with capital letters where names stand. */
export function mirroredPaths(): { files: string; listing: string; programs: string } {
  const pathOf = (address: string): string => new URL(address).pathname;
  return {
    files: pathOf(hubFile('OWNER/NAME', 'FILE')),
    listing: pathOf(hubListing('OWNER/NAME')),
    programs: pathOf(webllmPlace('NAME-MLC', HUB).program),
  };
}

/** The repository and file of an address of the hub or its mirror; undefined for any other address. */
export function hubPlace(address: string, mirror = ''): { repository: string; file: string } | undefined {
  const from = base(mirror);
  if (!address.startsWith(`${from}/`)) return undefined;
  const found = /^([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+?)(\?.*)?$/.exec(address.slice(from.length + 1));
  return found?.[1] && found[2] ? { repository: found[1], file: found[2] } : undefined;
}

/**
 * The folder with the weights that a person names, with a slash at its end: an address of a model's page on the hub means
 * its files. Undefined for what is no web address.
 */
export function weightsFolder(address: string, mirror = ''): string | undefined {
  if (!isWebAddress(address)) return undefined;
  const { origin, pathname } = new URL(address);
  const folder = `${origin}${pathname.replace(/\/+$/, '')}`;
  const from = base(mirror);
  const page = folder.startsWith(`${from}/`) ? folder.slice(from.length + 1) : '';
  const [, repository] = /^([^/]+\/[^/]+)(\/tree\/main)?$/.exec(page) ?? [];
  return repository === undefined ? `${folder}/` : hubFile(repository, '', mirror);
}

export function isWebAddress(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
