const MARKER = /^(\d+) earlier messages were archived at (\S+) and are summarised here\.\n\n/;

/** What a compaction left: how many messages it archived into which segment, and the summary. Count 0: it does not say. */
export function summaryParts(text: string): { count: number; segmentId: string; summary: string } {
  const [marker = '', count = '0', path = ''] = MARKER.exec(text) ?? [];
  const file = path.slice(path.lastIndexOf('/') + 1);
  const segmentId = file.replace(/\.jsonl\.gz$/, '');
  return { count: Number(count), segmentId, summary: text.slice(marker.length) };
}
