import { expect, test } from 'vitest';
import { countsOf, lastLine } from './test-counts.mjs';

const file = (status, ...tests) => ({
  status,
  assertionResults: tests.map((result) => ({ status: result })),
});

test('[W36] passed and failed tests are summed over files; skipped ones are neither', () => {
  const report = {
    testResults: [file('failed', 'passed', 'failed', 'skipped'), file('passed', 'passed', 'passed')],
  };
  expect(countsOf(report, 1)).toEqual({ passed: 3, failed: 1 });
});

test('[W36] a test file that cannot be loaded is a failure', () => {
  expect(countsOf({ testResults: [file('failed'), file('passed', 'passed')] }, 1)).toEqual({
    passed: 1,
    failed: 1,
  });
});

test.each([
  ['ended badly', { testResults: [file('passed', 'passed')] }, 1, { passed: 1, failed: 1 }],
  ['ran nothing', { testResults: [] }, 0, { passed: 0, failed: 1 }],
  ['left no report', undefined, 0, { passed: 0, failed: 1 }],
])('[W36] a run that %s is a failure', (_, report, code, counts) => {
  expect(countsOf(report, code)).toEqual(counts);
});

test('[W36] the last line says how many passed and how many failed', () => {
  expect(lastLine({ passed: 12, failed: 0 })).toBe('12 passed, 0 failed');
});
