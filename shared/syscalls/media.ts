import { Type } from 'typebox';
import { Count, declare, literals, Name, OperationError, optional, Path, record } from './declare.ts';

const Pid = Type.String({ minLength: 1, maxLength: 128 });
const MimeType = Type.String({ maxLength: 128 });

/** What a message refers to: media that were stored before, or a file of the caller's. */
export const MediaRef = record({
  path: Path,
  name: optional(Name),
  mimeType: optional(MimeType),
  durationMs: optional(Count),
  transcription: optional(Type.String({ maxLength: 65_536 })),
});
export type MediaRef = Type.Static<typeof MediaRef>;

export const mediaSyscalls = {
  'proc.media.put': declare({
    doc: 'Stores the byte stream that accompanies the call as media of a process, to be sent with a message (`proc.send`, `media`). What it is, its bytes tell; images up to 25 MiB, others up to 100 MiB.',
    args: record({
      pid: optional(Pid),
      name: Name,
      mimeType: optional(MimeType),
      durationMs: optional(Count),
    }),
    result: Type.Union([
      record({
        ok: Type.Literal(true),
        media: record({
          path: Type.String(),
          kind: literals(['image', 'audio', 'video', 'document']),
          name: Type.String(),
          mimeType: Type.String(),
          size: Count,
          width: optional(Count),
          height: optional(Count),
          durationMs: optional(Count),
        }),
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: false,
    bytes: 'in',
  }),
};
