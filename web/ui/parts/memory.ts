/** Small things this browser remembers about its page: drafts, folds, the theme. Losing them harms nobody. */
const prefix = 'gsv.page.';

export function read(name: string): string {
  try {
    return localStorage.getItem(prefix + name) ?? '';
  } catch {
    return '';
  }
}

/** An empty value is forgotten. Storage that is full or forbidden is not an error here. */
export function write(name: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // The page works without it.
  }
}
