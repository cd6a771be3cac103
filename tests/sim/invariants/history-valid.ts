import type { Stage } from '../program/stage.ts';
import { archiveOf, type Messages, type Picture } from './picture.ts';

/**
 * Each tool call of a history has exactly one result, later on, unless a reset on another replica parted them: then one may
 * be in the archive. Ids increase; and what models were given was in order.
 */
export function historyValid({ views }: Picture, { world }: Stage): string[] {
  const stored = views.flatMap((view) => {
    const archived = archiveOf(view);
    return [...view.histories].flatMap(([pid, messages]) =>
      problems(messages, archived).map((problem) => `in the history of ${pid} on ${view.name}: ${problem}`),
    );
  });
  return [...stored, ...world.witness.malformed];
}

function problems(messages: Messages, archived: string): string[] {
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
    if (!called.has(toolCallId) && !archived.includes(toolCallId))
      found.push(`a result of ${toolCallId}, which was not called before`);
    if (answered.has(toolCallId)) found.push(`two results of ${toolCallId}`);
    answered.add(toolCallId);
  }
  return [
    ...found,
    ...[...called]
      .filter((id) => !answered.has(id) && !archived.includes(id))
      .map((id) => `no result of ${id}`),
  ];
}

function callsIn(content: unknown): string[] {
  const { blocks = [] } = content as { blocks?: { type: string; id?: string }[] };
  return blocks.flatMap((block) => (block.type === 'toolCall' ? [block.id ?? ''] : []));
}
