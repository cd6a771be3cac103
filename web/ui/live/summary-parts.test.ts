import { expect, test } from 'vitest';
import { summaryParts } from './summary-parts.ts';

test('[U267] a summary is told apart from where its messages went', () => {
  const path = '/var/sessions/ada/init:1000/conversations/default/2026-11-22T07-56-52-978Z-7acd8890.jsonl.gz';
  expect(
    summaryParts(`4 earlier messages were archived at ${path} and are summarised here.\n\n# Blue\n\nIt is.`),
  ).toEqual({ count: 4, segmentId: '2026-11-22T07-56-52-978Z-7acd8890', summary: '# Blue\n\nIt is.' });
  expect(summaryParts('carried over')).toEqual({ count: 0, segmentId: '', summary: 'carried over' });
});
