import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findChromium } from './scripts/ensure.mjs';
import { moduleCache } from './scripts/module-cache.mjs';

const SECOND = 1000;
/** As in `vite.config.ts`. */
const catalogue = fileURLToPath(
  new URL('node_modules/@earendil-works/pi-ai/dist/models.js', import.meta.url),
);

/** Tests that go through all moments, or many seeds, stand beside their module and run with the simulation. */
const SWEEPS = 'shared/**/*.sweep.test.ts';
/** What is measured has the machine for itself. */
const MEASURES = ['tests/e2e/lighthouse.test.ts'];
/** All temporary files of a run lie in one folder, which goes with it. */
const RUN_FOLDER = 'tests/support/run-folder.ts';
const SETUP = ['tests/support/equal-bytes.ts', 'tests/support/count-real-work.ts'];

/** What is looked for again and again comes when the machine has time for it; the test's own limit is the later one. */
const PATIENT = { poll: { timeout: 30 * SECOND } };

/** One project per kind of test; `sequence.groupOrder` keeps kinds with other limits apart. */
export default defineConfig({
  test: {
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache() },
    projects: [
      {
        resolve: { alias: { '@earendil-works/pi-ai/models': catalogue } },
        test: {
          name: 'unit',
          pool: 'threads',
          isolate: false,
          maxWorkers: 2,
          environment: 'node',
          globalSetup: RUN_FOLDER,
          include: [
            '{shared,web,sync-server,driver}/**/*.test.ts',
            'scripts/**/*.test.mjs',
            'tests/{structure,support,scenarios}/**/*.test.ts',
          ],
          exclude: [SWEEPS],
          setupFiles: [...SETUP, 'tests/support/preload.ts'],
          expect: PATIENT,
          testTimeout: 40 * SECOND,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'contract',
          pool: 'threads',
          isolate: false,
          // They mostly wait for the programs that they start.
          maxWorkers: 2,
          environment: 'node',
          include: ['tests/contract/**/*.test.ts'],
          globalSetup: [RUN_FOLDER, 'scripts/build-programs.mjs'],
          setupFiles: SETUP,
          expect: PATIENT,
          testTimeout: 60 * SECOND,
          hookTimeout: 60 * SECOND,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'sim',
          pool: 'threads',
          maxWorkers: 2,
          environment: 'node',
          globalSetup: RUN_FOLDER,
          include: ['tests/sim/**/*.test.ts', SWEEPS],
          setupFiles: SETUP,
          expect: PATIENT,
          testTimeout: 180 * SECOND,
          hookTimeout: 60 * SECOND,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          globalSetup: RUN_FOLDER,
          include: ['tests/e2e/**/*.test.ts'],
          exclude: MEASURES,
          maxWorkers: 2,
          testTimeout: 180 * SECOND,
          hookTimeout: 120 * SECOND,
          retry: 0,
          sequence: { groupOrder: 2 },
          env: { CHROMIUM_PATH: (await findChromium()) ?? '' },
        },
      },
      {
        test: {
          name: 'measured',
          environment: 'node',
          globalSetup: RUN_FOLDER,
          include: MEASURES,
          fileParallelism: false,
          testTimeout: 180 * SECOND,
          hookTimeout: 120 * SECOND,
          sequence: { groupOrder: 3 },
          env: { CHROMIUM_PATH: (await findChromium()) ?? '' },
        },
      },
    ],
  },
});
