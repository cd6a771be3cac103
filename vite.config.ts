import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import solid from 'vite-plugin-solid';

const root = fileURLToPath(new URL('.', import.meta.url));

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

export default defineConfig({
  root: `${root}web`,
  publicDir: `${root}public`,
  plugins: [solid(), trustedTemplates()],
  // The catalogue stands in pi-ai's package without a door of its own; its main door brings every provider there is.
  resolve: {
    alias: { '@earendil-works/pi-ai/models': `${root}node_modules/@earendil-works/pi-ai/dist/models.js` },
  },
  define: { global: 'globalThis' },
  worker: { format: 'es' },
  build: {
    outDir: `${root}dist/page`,
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'safari17.5', 'firefox121'],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4096,
  },
});
