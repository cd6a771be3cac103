import { Type } from 'typebox';
import { Count, declare, OperationError, optional, Path, record, Target, Text } from './declare.ts';

const target = optional(Target);
const ok = Type.Literal(true);

const TextBlock = record({ type: Type.Literal('text'), text: Type.String() });
const ImageBlock = record({ type: Type.Literal('image'), data: Type.String(), mimeType: Type.String() });

export const fsSyscalls = {
  'fs.read': declare({
    doc: 'Reads a file as numbered lines, an image as content blocks, or lists a directory. `offset` is the first line to return, counted from 0.',
    args: record({
      target,
      path: Path,
      offset: optional(Count),
      limit: optional(Type.Integer({ minimum: 1 })),
    }),
    result: Type.Union([
      record({
        ok,
        content: Type.Union([Type.String(), Type.Array(Type.Union([TextBlock, ImageBlock]))]),
        path: Type.String(),
        lines: optional(Count),
        size: Count,
      }),
      record({
        ok,
        path: Type.String(),
        files: Type.Array(Type.String()),
        directories: Type.Array(Type.String()),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: true,
    tool: { name: 'Read', description: 'Read a text file (numbered lines), an image, or list a directory.' },
  }),
  'fs.write': declare({
    doc: 'Creates or replaces a complete file, with the directories above it.',
    args: record({ target, path: Path, content: Text }),
    result: Type.Union([record({ ok, path: Type.String(), size: Count }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: true,
    tool: { name: 'Write', description: 'Create or replace a whole file.' },
  }),
  'fs.edit': declare({
    doc: 'Replaces exact text in a file. More than one match is refused unless `replaceAll`.',
    args: record({
      target,
      path: Path,
      oldString: Text,
      newString: Text,
      replaceAll: optional(Type.Boolean()),
    }),
    result: Type.Union([record({ ok, path: Type.String(), replacements: Count }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: true,
    tool: {
      name: 'Edit',
      description: 'Replace exact text in a file. oldString must match once, unless replaceAll.',
    },
  }),
  'fs.delete': declare({
    doc: 'Deletes a file, or a directory with everything in it.',
    args: record({ target, path: Path }),
    result: Type.Union([record({ ok, path: Type.String() }), OperationError]),
    audience: 'user',
    effect: 'write',
    routable: true,
    tool: { name: 'Delete', description: 'Delete a file or directory. Cannot be undone.' },
  }),
  'fs.search': declare({
    doc: 'Finds lines that contain `query` literally, at most 500. `include` is a glob on file names.',
    args: record({
      target,
      query: Type.String({ maxLength: 4096 }),
      path: optional(Path),
      include: optional(Type.String({ maxLength: 256 })),
    }),
    result: Type.Union([
      record({
        ok,
        matches: Type.Array(record({ path: Type.String(), line: Count, content: Type.String() })),
        count: Count,
        truncated: optional(Type.Boolean()),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'read',
    routable: true,
    tool: { name: 'Search', description: 'Find lines containing a literal text under a path.' },
  }),
  'fs.transfer.read': declare({
    doc: 'Opens a file as a byte stream that accompanies the answer.',
    args: record({ target, path: Path }),
    result: Type.Union([record({ ok, path: Type.String(), size: Count }), OperationError]),
    audience: 'user',
    effect: 'read',
    routable: true,
    bytes: 'out',
  }),
  'fs.transfer.write': declare({
    doc: 'Writes the byte stream that accompanies the call to a file; an incomplete stream changes nothing.',
    args: record({ target, path: Path }),
    result: Type.Union([
      record({ ok, path: Type.String(), size: Count, sha256: Type.String() }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: true,
    bytes: 'in',
  }),
};
