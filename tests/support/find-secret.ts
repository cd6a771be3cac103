import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The files below a directory that hold this text, wherever in their bytes. */
export function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

/** Where a page's own storage holds this text: `local:KEY`, `session:KEY`, `DATABASE/STORE`. */
export async function storageWith(page: Page, text: string): Promise<string[]> {
  return page.evaluate(searchStorage, text);
}

/** Runs in the page: everything that it refers to is inside of it. */
async function searchStorage(wanted: string): Promise<string[]> {
  const seen = new Set<unknown>();
  const holds = (value: unknown): boolean => {
    if (typeof value === 'string') return value.includes(wanted);
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    if (value instanceof ArrayBuffer) return new TextDecoder('latin1').decode(value).includes(wanted);
    if (ArrayBuffer.isView(value)) {
      return holds(value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength));
    }
    return Object.entries(value).some(([key, entry]) => key.includes(wanted) || holds(entry));
  };
  const settled = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const found = Object.entries({ ...localStorage }).flatMap(([key, value]) =>
    holds(value) ? [`local:${key}`] : [],
  );
  for (const [key, value] of Object.entries({ ...sessionStorage }))
    if (holds(value)) found.push(`session:${key}`);
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await settled(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const rows = await settled(database.transaction(store).objectStore(store).getAll());
      if (rows.some(holds)) found.push(`${name}/${store}`);
    }
    database.close();
  }
  return found;
}
