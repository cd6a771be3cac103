/** Counts of tests: `{passed, failed}`. */
export const none = { passed: 0, failed: 0 };

export function add(...counts) {
  return counts.reduce(
    (sum, { passed, failed }) => ({ passed: sum.passed + passed, failed: sum.failed + failed }),
    none,
  );
}

/**
 * Counts of one vitest run from its JSON report. A file that could not be loaded is one failure, and so is a run
 * that failed in a way no test shows: no report, no tests, an error outside of every test.
 * @param {{testResults: {status: string, assertionResults: {status: string}[]}[]} | undefined} report
 * @param {number} code what vitest ended with
 */
export function countsOf(report, code) {
  const counts = add(...(report?.testResults ?? []).map(countsOfFile));
  const hidden = counts.failed === 0 && (code !== 0 || counts.passed === 0);
  return hidden ? { ...counts, failed: 1 } : counts;
}

function countsOfFile({ status, assertionResults }) {
  const passed = assertionResults.filter((test) => test.status === 'passed').length;
  const failed = assertionResults.filter((test) => test.status === 'failed').length;
  return { passed, failed: failed === 0 && status === 'failed' ? 1 : failed };
}

/** What the last line of a test run says. */
export function lastLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
