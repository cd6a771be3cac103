import { placeOf } from '../../../shared/state/message-id.ts';
import type { Stage } from '../program/stage.ts';
import { archiveOf, type Messages, type Picture } from './picture.ts';

/**
 * Each tool call of a history has exactly one result, later on, unless a reset on another replica parted them: then one may
 * be in the archive, and the result of who took the run over may stand before the call, which its writer brought later.
 * Ids increase; and what models were given was in order.
 */
export function historyValid({ views }: Picture, { world }: Stage): string[] {
  const wasReset = (pid: string): boolean =>
    world.witness.calls.some(
      ({ call: { name, args } }) => name === 'proc.reset' && 'pid' in args && args.pid === pid,
    );
  const stored = views.flatMap((view) => {
    const archived = archiveOf(view);
    return [...view.histories].flatMap(([pid, messages]) =>
      problems(messages, archived, wasReset(pid)).map(
        (problem) => `in the history of ${pid} on ${view.name}: ${problem}`,
      ),
    );
  });
  return [...stored, ...world.witness.malformed];
}

function problems(messages: Messages, archived: string, wasReset: boolean): string[] {
  const found: string[] = [];
  const makers = new Map(messages.flatMap(({ id, content }) => callsIn(content).map((call) => [call, id])));
  const isBroughtLater = (call: string, resultId: number): boolean => {
    const made = makers.get(call);
    return wasReset && made !== undefined && placeOf(made).writer !== placeOf(resultId).writer;
  };
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
    if (!called.has(toolCallId) && !archived.includes(toolCallId) && !isBroughtLater(toolCallId, id))
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
