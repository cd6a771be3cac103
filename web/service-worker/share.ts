/** Where what was shared with GSV waits for its page: `about`, and each file by its number. */
export const SHARED_CACHE = 'gsv-shared';
export const SHARED_PATH = '/shared/';
export const MOST_SHARED_BYTES = 100 * 1024 * 1024;

export type SharedAbout = { text: string; files: { name: string; type: string }[] };

/**
 * Keeps what another program of the device has shared, and leads to the page. The page asks its person before it does
 * anything with it: every site can send such a form.
 */
export async function keepShared(request: Request, caches: CacheStorage): Promise<Response> {
  const form = await request.formData();
  const files = form
    .getAll('files')
    .filter((value): value is File => value instanceof File && value.size <= MOST_SHARED_BYTES);
  const parts = ['title', 'text', 'url'].map((name) => form.get(name));
  const text = parts.filter((part) => typeof part === 'string' && part.trim() !== '').join('\n');
  await caches.delete(SHARED_CACHE);
  const cache = await caches.open(SHARED_CACHE);
  for (const [at, file] of files.entries()) await cache.put(`${SHARED_PATH}${at}`, new Response(file));
  const about: SharedAbout = { text, files: files.map(({ name, type }) => ({ name, type })) };
  await cache.put(`${SHARED_PATH}about`, Response.json(about));
  return new Response(null, { status: 303, headers: { location: '/' } });
}
