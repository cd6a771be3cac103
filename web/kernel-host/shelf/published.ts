import { hubListing, hubPlace } from '../../../shared/kernel/local/hub.ts';

export type Published = { sha256: string; bytes: number };

const NOTHING: Published = { sha256: '', bytes: 0 };

/** What the hub publishes of a file: its size and SHA-256. Empty where it does not, or where the address is not the hub's. */
export async function published(
  address: string,
  mirror: string,
  fetchJson: typeof fetch,
): Promise<Published> {
  const place = hubPlace(address, mirror);
  return (place && (await publishedFiles(place.repository, mirror, fetchJson)).get(place.file)) || NOTHING;
}

/** As `published`, of each file of a repository by its path there. */
export async function publishedFiles(
  repository: string,
  mirror: string,
  fetchJson: typeof fetch,
): Promise<Map<string, Published>> {
  try {
    const response = await fetchJson(hubListing(repository, mirror));
    const entries: unknown = response.ok ? await response.json() : [];
    return new Map(Array.isArray(entries) ? entries.flatMap(readEntry) : []);
  } catch {
    return new Map();
  }
}

function readEntry(entry: unknown): [string, Published][] {
  const { path, lfs } = (entry ?? {}) as { path?: unknown; lfs?: { oid?: unknown; size?: unknown } };
  if (typeof path !== 'string' || !lfs) return [];
  const sha256 = typeof lfs.oid === 'string' && /^[0-9a-f]{64}$/.test(lfs.oid) ? lfs.oid : '';
  return [[path, { sha256, bytes: Number(lfs.size) || 0 }]];
}
