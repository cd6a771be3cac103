export type PrecacheEntry = {
  url: string;
  revision: string | null;
  when: 'first' | 'later' | 'used';
  size: number;
};
export function precacheEntry(folder: string, url: string, size: number): PrecacheEntry;
