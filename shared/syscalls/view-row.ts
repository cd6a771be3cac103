import { Type } from 'typebox';
import { JsonObject } from '../std/json-object.ts';

/** One row as a page sees it: a JSON object under a key that sorts. Pages check it too, so nothing more stands here. */
export const ViewRow = Type.Object(
  { key: Type.String(), value: JsonObject },
  { additionalProperties: false },
);
export type ViewRow = Type.Static<typeof ViewRow>;
