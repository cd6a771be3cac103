import { Type } from 'typebox';
import { matches } from '../../std/matches.ts';
import type { LogPlaces } from './log-places.ts';

/** Of each document the writers of its log, and how many entries of each are known. */
const Known = Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer({ minimum: 0 })));

/** How far this replica has read each log, for one that has read nothing yet and shall notice an older state. */
export function knownLogs(places: LogPlaces): string {
  const known = Array.from(places.counts(), ([name, counts]) => [
    name,
    Object.fromEntries(counts.map(({ writer, n }) => [writer, n])),
  ]);
  return JSON.stringify(Object.fromEntries(known));
}

/** Keeps what `knownLogs` said on another replica. Throws on any other text. */
export function expectLogs(places: LogPlaces, text: string): void {
  const known: unknown = JSON.parse(text);
  if (!matches(Known, known)) throw new Error('What this invitation says of documents cannot be read');
  for (const [name, counts] of Object.entries(known)) {
    const expected = Object.entries(counts).map(([writer, n]) => ({ writer, n }));
    places.expect(name, expected);
  }
}
