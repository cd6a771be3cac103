import { chmod, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const packages = ['ws', 'typebox'];

/** Builds the driver as one executable file that needs nothing but Node: `outFile`, absolute. */
export async function bundleDriver(outFile) {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./main.ts', import.meta.url)),
    platform: 'node',
    external: [/^node:/, ...builtinModules],
    // Without these, ws would look for optional native helpers beside the file.
    transform: {
      define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
    },
  });
  await bundle.write({
    file: outFile,
    format: 'esm',
    codeSplitting: false,
    banner: '#!/usr/bin/env node',
    footer: await licences(),
  });
  await bundle.close();
  await chmod(outFile, 0o755);
}

/** The licences of what the file contains, as they ask for. */
async function licences() {
  const texts = await Promise.all(
    packages.map(async (name) => {
      const path = fileURLToPath(new URL(await licencePath(name), import.meta.url));
      return `${name}\n\n${(await readFile(path, 'utf8')).replaceAll('*/', '* /')}`;
    }),
  );
  return `/*! This file contains:\n\n${texts.join('\n')}\n*/`;
}

async function licencePath(name) {
  return `../node_modules/${name}/${name === 'typebox' ? 'license' : 'LICENSE'}`;
}
