import { describe, expect, test } from 'vitest';
import { queryProblem, searchLines } from './search-lines.ts';

describe('literal search', () => {
  test('[D7] a query is literal, not an expression, and matches carry their line numbers', () => {
    expect(searchLines('axb\na.b\r\n', 'a.b', 10)).toEqual([{ line: 2, content: 'a.b' }]);
  });

  test('[D7] no more matches than asked for, and long lines are cut at 500 characters', () => {
    expect(searchLines('x\nx\nx', 'x', 2)).toHaveLength(2);
    expect(searchLines(`x${'y'.repeat(900)}`, 'x', 1)[0]?.content).toHaveLength(500);
  });

  test('[D7] an empty query and one over several lines are refused with a reason', () => {
    expect(queryProblem('')).toContain('empty');
    expect(queryProblem('a\nb')).toContain('one line');
    expect(queryProblem('a')).toBeUndefined();
  });
});
