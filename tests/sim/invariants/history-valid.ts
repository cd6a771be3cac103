import type { Stage } from '../program/stage.ts';
import type { Messages, Picture } from './picture.ts';

/** Each tool call of a history has exactly one result, later on; ids increase; and what models were given was in order. */
export function historyValid({ views }: Picture, { world }: Stage): string[] {
  const stored = views.flatMap(({ name, histories }) =>
    [...histories].flatMap(([pid, messages]) =>
      problems(messages).map((problem) => `in the history of ${pid} on ${name}: ${problem}`),
    ),
  );
  return [...stored, ...world.witness.malformed];
}

function problems(messages: Messages): string[] {
  const found: string[] = [];
  const called = new Set<string>();
  const answered = new Set<string>();
  let lastId = 0;
  for (const { id, role, content } of messages) {
    if (id <= lastId) found.push(`id ${id} after ${lastId}`);
    lastId = id;
    for (const call of callsIn(content)) {
      if (called.has(call)) found.push(`${call} is called twice`);
      called.add(call);
    }
    if (role !== 'toolResult') continue;
    const { toolCallId = '' } = content as { toolCallId?: string };
    if (!called.has(toolCallId)) found.push(`a result of ${toolCallId}, which was not called before`);
    if (answered.has(toolCallId)) found.push(`two results of ${toolCallId}`);
    answered.add(toolCallId);
  }
  return [...found, ...[...called].filter((id) => !answered.has(id)).map((id) => `no result of ${id}`)];
}

function callsIn(content: unknown): string[] {
  const { blocks = [] } = content as { blocks?: { type: string; id?: string }[] };
  return blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id ?? ''] : []));
}
