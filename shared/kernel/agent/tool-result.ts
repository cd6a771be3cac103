import { SyscallError } from '../../protocol/errors.ts';
import type { MediaBlock } from '../../state/conversation.ts';
import type { SyscallName } from '../../syscalls/table.ts';
import type { ImageBlock, TextBlock } from '../ports/models.ts';

export type ToolOutcome = { content: (TextBlock | ImageBlock | MediaBlock)[]; isError: boolean };

/** Characters of one result that a model is shown. */
const MAX_CHARACTERS = 60_000;

/** How a syscall's result reads to a model. Operation failures are errors (DESIGN 2.5). */
export function renderResult(syscall: SyscallName, result: unknown): ToolOutcome {
  const data = result as Record<string, unknown>;
  if (data.ok === false) return failure(String(data.error));
  if (syscall === 'shell.exec') return renderShell(data);
  if (syscall === 'fs.read' && 'content' in data)
    return { content: readBlocks(data.content), isError: false };
  return success(JSON.stringify(result));
}

/** How a call that did not come to a result reads to a model. */
export function renderError(thrown: unknown): ToolOutcome {
  if (thrown instanceof SyscallError) return failure(`${thrown.message} (${thrown.code})`);
  return failure('The call failed for an unknown reason');
}

export function success(text: string): ToolOutcome {
  return { content: [{ type: 'text', text: cut(text) }], isError: false };
}

export function failure(text: string): ToolOutcome {
  return { content: [{ type: 'text', text: cut(text) }], isError: true };
}

function readBlocks(content: unknown): (TextBlock | ImageBlock)[] {
  if (Array.isArray(content)) return content as (TextBlock | ImageBlock)[];
  return [{ type: 'text', text: cut(String(content)) }];
}

function renderShell(data: Record<string, unknown>): ToolOutcome {
  const output = cut(String(data.output ?? ''));
  const more = data.truncated === true ? '\n[output was cut]' : '';
  if (data.status === 'running') {
    return success(`${output}${more}\n[still running; sessionId ${data.sessionId}]`);
  }
  if (data.status === 'failed') return failure(`${output}${more}\n[failed: ${data.error}]`);
  return success(
    `${output}${more}${output.endsWith('\n') || output === '' ? '' : '\n'}[exit ${data.exitCode}]`,
  );
}

function cut(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const head = Math.floor(MAX_CHARACTERS * 0.6);
  const tail = MAX_CHARACTERS - head;
  return `${text.slice(0, head)}\n[… ${text.length - MAX_CHARACTERS} characters left out …]\n${text.slice(-tail)}`;
}
