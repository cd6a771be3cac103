import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import solid from 'vite-plugin-solid';

/** The page on its scripted kernel. Returns the running server; `node serve.mjs PORT` keeps it for a look by hand. */
export async function serveFixture(port) {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const server = await createServer({
    configFile: false,
    root: here,
    publicDir: `${root}public`,
    cacheDir: `${root}node_modules/.vite-ui-fixture`,
    plugins: [solid({ hot: false })],
    server: {
      port,
      strictPort: port !== 0,
      host: '127.0.0.1',
      fs: { allow: [root] },
      hmr: false,
    },
    logLevel: 'error',
    appType: 'spa',
  });
  await server.listen();
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serveFixture(Number(process.argv[2] ?? 5199));
  server.printUrls();
}
