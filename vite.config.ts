import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type PluginOption } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import solid from 'vite-plugin-solid';
import { precacheEntry } from './scripts/precache.mjs';
import { packSkills } from './scripts/skills.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${root}dist/page`;

/**
 * Solid makes its elements from compiled templates by `innerHTML`, which Trusted Types forbid to plain strings. The
 * one assignment in its runtime goes through the page's own policy instead; the build fails if it is not found.
 */
export function trustedTemplates(): Plugin {
  const assignment = 't.innerHTML = html;';
  return {
    name: 'gsv:trusted-templates',
    apply: 'build',
    transform(code, id) {
      if (!/solid-js\/web\/dist\/(web|dev)\.js$/.test(id)) return undefined;
      if (!code.includes(assignment))
        this.error('The runtime of solid-js has no template assignment to guard.');
      const policy = JSON.stringify(`${root}web/ui/trusted.ts`);
      return {
        code: `import { compiledTemplate } from ${policy};\n${code.replaceAll(assignment, 't.innerHTML = compiledTemplate(html);')}`,
        map: null,
      };
    },
  };
}

/** Writes the skills beside the page, before the service worker lists the build's files. */
function skills(): Plugin {
  return { name: 'gsv:skills', apply: 'build', writeBundle: () => packSkills(`${outDir}/skills.json`) };
}

/** Builds `web/sw.ts` with the list of the files that it keeps. */
function serviceWorker(): PluginOption {
  return VitePWA({
    strategies: 'injectManifest',
    srcDir: '.',
    filename: 'sw.ts',
    injectRegister: false,
    manifest: false,
    injectManifest: {
      rollupFormat: 'iife',
      globPatterns: [
        'index.html',
        'skills.json',
        'theme.js',
        'manifest.webmanifest',
        'icon*.{svg,png}',
        'badge.png',
        'assets/**',
      ],
      maximumFileSizeToCacheInBytes: Number.MAX_SAFE_INTEGER,
      manifestTransforms: [
        (entries) => ({ manifest: entries.map(({ url, size }) => precacheEntry(outDir, url, size)) }),
      ],
    },
  });
}

/** Stands for the headers of the server's files: when they change, no file is kept from before. */
function policy(): string {
  const text = readFileSync(`${root}sync-server/http/headers.ts`);
  return JSON.stringify(createHash('sha256').update(text).digest('hex').slice(0, 12));
}

export default defineConfig(({ command }) => ({
  root: `${root}web`,
  publicDir: `${root}public`,
  plugins: [solid(), trustedTemplates(), skills(), ...(command === 'build' ? [serviceWorker()] : [])],
  // The catalogue stands in pi-ai's package without a door of its own; its main door brings every provider there is.
  resolve: {
    alias: { '@earendil-works/pi-ai/models': `${root}node_modules/@earendil-works/pi-ai/dist/models.js` },
  },
  define: {
    global: 'globalThis',
    ...(command === 'build' ? { __GSV_BUILT__: String(Date.now()), __GSV_POLICY__: policy() } : {}),
  },
  worker: { format: 'es' },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'safari17.5', 'firefox121'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4096,
  },
}));
