import { hubListing, hubPlace } from '../../../shared/kernel/local/catalogue.ts';

export type Published = { sha256: string; bytes: number };

const NOTHING: Published = { sha256: '', bytes: 0 };

/** What the hub publishes of a file: its size and SHA-256. Empty where it does not, or where the address is not the hub's. */
export async function published(
  address: string,
  mirror: string,
  fetchJson: typeof fetch,
): Promise<Published> {
  const place = hubPlace(address, mirror);
  if (!place) return NOTHING;
  try {
    const response = await fetchJson(hubListing(place.repository, mirror));
    const entries: unknown = response.ok ? await response.json() : [];
    return (Array.isArray(entries) && found(entries, place.file)) || NOTHING;
  } catch {
    return NOTHING;
  }
}

function found(entries: unknown[], file: string): Published | undefined {
  for (const entry of entries) {
    const { path, lfs } = (entry ?? {}) as { path?: unknown; lfs?: { oid?: unknown; size?: unknown } };
    if (path !== file || !lfs) continue;
    const sha256 = typeof lfs.oid === 'string' && /^[0-9a-f]{64}$/.test(lfs.oid) ? lfs.oid : '';
    return { sha256, bytes: Number(lfs.size) || 0 };
  }
  return undefined;
}
