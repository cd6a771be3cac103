import { read, write } from './memory.ts';

export type Theme = 'system' | 'light' | 'dark';
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** `public/theme.js` reads it too, before the first paint. */
export function storedTheme(): Theme {
  const stored = read('theme');
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme = storedTheme()): void {
  write('theme', theme === 'system' ? '' : theme);
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
