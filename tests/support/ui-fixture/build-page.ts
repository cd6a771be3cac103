import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import solid from 'vite-plugin-solid';
import { trustedTemplates } from '../../../vite.config.ts';

/** Builds the page on its scripted kernel, as for production, into a folder. */
export async function buildInto(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'error',
    plugins: [solid(), trustedTemplates()],
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      cssTarget: ['chrome123'],
      modulePreload: { polyfill: false },
    },
  });
}
