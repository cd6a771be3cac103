import { Type } from 'typebox';
import { declare, OperationError, optional, Path, record, Target } from './declare.ts';

const SessionId = Type.String({ minLength: 1, maxLength: 128 });
const truncated = optional(Type.Boolean());
const exitCode = Type.Integer();

export const shellSyscalls = {
  'shell.exec': declare({
    doc: 'Runs a shell command. A device answers within its wait budget; a command still running is polled (empty `input`) or written to by its `sessionId`, with or without `target`.',
    args: record({
      target: optional(Target),
      cwd: optional(Path),
      input: Type.String({ maxLength: 1024 * 1024 }),
      sessionId: optional(SessionId),
    }),
    result: Type.Union([
      record({
        status: Type.Literal('completed'),
        output: Type.String(),
        exitCode,
        sessionId: optional(SessionId),
        truncated,
      }),
      record({ status: Type.Literal('running'), output: Type.String(), sessionId: SessionId, truncated }),
      record({
        status: Type.Literal('failed'),
        output: Type.String(),
        error: Type.String(),
        exitCode: optional(exitCode),
        sessionId: optional(SessionId),
        truncated,
      }),
      OperationError,
    ]),
    audience: 'user',
    effect: 'write',
    routable: true,
    tool: {
      name: 'Shell',
      description:
        'Run a shell command. If the result is "running", call again with its sessionId: empty input polls, other input goes to stdin.',
    },
  }),
};
