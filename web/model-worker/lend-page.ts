import type { PortLike } from '../../shared/protocol/port-link.ts';
import { BrowserEngine } from './browser-engine.ts';
import { promptApi } from './prompt-api.ts';
import { lendEngines } from './serve-engine.ts';

/** Lends the kernel what only a page has: the browser's own model. Resolves when it is of no more use. */
export function lendPage(port: PortLike, name: string): Promise<void> {
  return lendEngines(port, name, 'page', {
    browser: async () => new BrowserEngine(promptApi(), navigator.language),
  });
}
