import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bundles what the bench runs in a browser into `outDir`. The kernel's workers stay those of the built page. */
export async function bundleBenchPage(outDir: string, builtPage: string): Promise<void> {
  await build({
    input: {
      page: join(here, 'page/bench-page.ts'),
      'echo-worker': join(here, 'page/echo-worker.ts'),
      'pi-worker': join(here, 'page/pi-worker.ts'),
    },
    platform: 'browser',
    logLevel: 'silent',
    plugins: [builtWorkers(join(builtPage, 'assets'))],
    transform: { define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' } },
    output: { dir: outDir, format: 'esm', entryFileNames: '[name].js', minify: true },
  });
}

/** Answers the client's imports of worker addresses with the files of the built page. */
function builtWorkers(assets: string): Plugin {
  const form = /\/([a-z]+-worker)\.ts\?worker&url$/;
  return {
    name: 'gsv:built-workers',
    resolveId: (id) => (form.test(id) ? `\0${id}` : null),
    load(id) {
      const [, name] = form.exec(id) ?? [];
      if (!name) return null;
      const file = readdirSync(assets).find((asset) => asset.startsWith(`${name}-`));
      if (!file) throw new Error(`The built page has no ${name}`);
      return `export default ${JSON.stringify(`/assets/${file}`)};`;
    },
  };
}
