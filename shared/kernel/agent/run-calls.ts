import type { CallRow, RunRow } from '../../state/conversation.ts';
import type { ToolCallBlock } from '../ports/models.ts';
import { CUT_OFF, repeatedCall } from './run-rows.ts';
import { prepareCall } from './tools.ts';

/** The third identical call in a row is answered, not executed; the fifth ends the run. */
const REPEAT_REFUSED = 3;
export const REPEAT_STOPS = 5;

export type MadeCalls = {
  calls: CallRow[];
  repeated: RunRow['repeated'];
  /** Why a call is answered and not executed, by its id. */
  refused: Map<string, string>;
};

/** The calls of one message of a model. `prefix` begins their keys; `cut`: the message ended at the length limit. */
export function madeCalls(
  blocks: readonly ToolCallBlock[],
  before: RunRow['repeated'],
  prefix: string,
  cut: boolean,
): MadeCalls {
  let repeated = before;
  const refused = new Map<string, string>();
  const calls = blocks.map((block, at): CallRow => {
    const prepared = prepareCall(block.name, block.arguments);
    const signature = `${block.name} ${JSON.stringify(block.arguments)}`;
    const polls = (block.arguments.sessionId ?? null) !== null;
    repeated =
      polls || repeated.signature !== signature
        ? { signature, count: 1 }
        : { signature, count: repeated.count + 1 };
    const cutOff = cut && at === blocks.length - 1 ? CUT_OFF : null;
    const refusal = repeated.count >= REPEAT_REFUSED ? repeatedCall(repeated.count) : cutOff;
    const error = prepared.kind === 'refused' ? prepared.error : refusal;
    if (error !== null) refused.set(block.id, error);
    return {
      callId: block.id,
      key: `${prefix}:${at}`,
      toolName: block.name,
      syscall: prepared.syscall,
      target: prepared.kind === 'call' ? prepared.target : '',
      args: prepared.kind === 'call' ? prepared.args : block.arguments,
      status: error === null ? 'ready' : 'done',
      startedAt: null,
      finishedAt: null,
    };
  });
  return { calls, repeated, refused };
}
