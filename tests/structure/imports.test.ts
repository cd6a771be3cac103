import { describe, expect, test } from 'vitest';
import { importProblem } from '../support/import-table.ts';
import { importsOf, readSources } from '../support/sources.ts';

const modules = readSources(['.ts', '.tsx', '.mjs']);
const imports = modules.flatMap(({ path, text }) =>
  importsOf(text).map((specifier) => ({ path, specifier })),
);

describe('the import table', () => {
  test('[W30] programs import only themselves and shared; shared imports nothing else of ours', () => {
    const relative = imports.filter(({ specifier }) => specifier.startsWith('.'));
    expect(relative.length).toBeGreaterThan(50);
    expect(relative.flatMap(({ path, specifier }) => importProblem(path, specifier) ?? [])).toEqual([]);
  });

  test('[W31] each program uses only the packages of its world', () => {
    const foreign = imports.filter(({ specifier }) => !specifier.startsWith('.'));
    expect(foreign.flatMap(({ path, specifier }) => importProblem(path, specifier) ?? [])).toEqual([]);
  });

  test('[W30] a module is imported by its file name, never by its folder', () => {
    const wrong = imports.filter(({ specifier }) => {
      return specifier.startsWith('.') && !/\.(ts|tsx|mjs|json|css)(\?[a-z&]+)?$/.test(specifier);
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    ['shared/kernel/boot.ts', '../../web/client/gsv.ts'],
    ['shared/protocol/peer.ts', '../kernel/boot.ts'],
    ['web/ui/app.tsx', '../../driver/cli.ts'],
    ['driver/cli.ts', '../sync-server/room.ts'],
    ['web/ui/app.tsx', '../../tests/support/gate.ts'],
    ['tests/e2e/chat.test.ts', '../contract/store.ts'],
    ['scripts/build.mjs', '../sync-server/room.ts'],
  ])('[W30] %s must not import %s', (from, specifier) => {
    expect(importProblem(from, specifier)).not.toBeNull();
  });

  test.each([
    ['shared/kernel/boot.ts', 'dexie'],
    ['shared/kernel/boot.ts', 'node:fs'],
    ['shared/std/bytes.ts', 'dexie/lib'],
    ['web/ui/app.tsx', 'yjs'],
    ['sync-server/room.ts', 'partyserver'],
    ['driver/cli.ts', 'solid-js'],
  ])('[W31] %s must not import %s', (from, specifier) => {
    expect(importProblem(from, specifier)).not.toBeNull();
  });

  test.each([
    ['web/ui/app.test.ts', '../../tests/support/gate.ts'],
    ['web/kernel-host/disk.ts', 'dexie'],
    ['driver/cli.ts', 'node:fs'],
    ['tests/e2e/chat.test.ts', '../support/browser.ts'],
    ['scripts/build.mjs', '../driver/bundle.mjs'],
  ])('[W31] %s may import %s', (from, specifier) => {
    expect(importProblem(from, specifier)).toBeNull();
  });
});

test('[W30] imports are found in every form they are written in', () => {
  const text = `import a from 'a';\nimport {\n  b,\n} from "b";\nimport 'c';\nexport { d } from 'd';\nconst e = await import('e');\n`;
  expect(importsOf(text).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
});
