import { Type } from 'typebox';

/**
 * The schema of any JSON object. Unlike `Type.Record` it brings nothing more of typebox than objects do, which counts
 * where a page loads it.
 */
export const JsonObject = Type.Unsafe<Record<string, unknown>>(Type.Object({}));
