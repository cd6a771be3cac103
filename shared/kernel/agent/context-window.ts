import type { Block, ContextRow, MessageRow } from '../../state/conversation.ts';
import { eventPrefix } from '../../state/conversation-names.ts';
import { TEXT_CHARACTERS } from '../media/hydrate.ts';
import type { ModelMessage } from '../ports/models.ts';
import { pairedCalls } from './paired-calls.ts';

/** Tokens of a text where no provider has measured it (FACTS, Numbers). */
export const estimateTokens = (characters: number): number => Math.ceil((characters / 4) * 1.15);

/** What a model is told after an answer of its own that had no room left. */
export const GO_ON_CUT =
  'Your answer was cut at the length limit. Go on exactly where it ends, and repeat nothing.';

const IMAGE_TOKENS = 1_500;
const LEVELS = [
  { from: 1, level: 'full' },
  { from: 0.9, level: 'critical' },
  { from: 0.75, level: 'warn' },
] as const;

export type WindowedHistory = { messages: ModelMessage[]; tokens: number; left: number };

/**
 * The newest messages that fit `budget` tokens, oldest first, as providers take them. It never begins between a tool
 * call and its result.
 * What does not fit stays in the log, and the model is told how much that is. `shown` puts media into what the model takes.
 */
export async function windowHistory(
  log: { backwards(): AsyncGenerator<MessageRow>; count: number },
  budget: number,
  shown: (rows: readonly MessageRow[]) => Promise<readonly MessageRow[]> = async (rows) => rows,
): Promise<WindowedHistory> {
  const kept: MessageRow[] = [];
  let tokens = 0;
  let whole = 0;
  let wholeTokens = 0;
  for await (const row of log.backwards()) {
    const cost = tokensOf(row);
    if (tokens + cost > budget && whole > 0) break;
    tokens += cost;
    kept.push(row);
    if (row.role !== 'toolResult') {
      whole = kept.length;
      wholeTokens = tokens;
    }
  }
  const all = kept.length === log.count;
  const rows = kept.slice(0, all ? kept.length : whole).reverse();
  const left = log.count - rows.length;
  const messages = pairedCalls(await shown(rows), toModelMessage);
  const at = rows[0]?.timestamp ?? 0;
  if (left > 0) messages.unshift(eventMessage(`${left} earlier messages are not shown.`, at));
  // Providers want a user to begin; after a reset elsewhere a run may have gone on without its first message.
  else if (messages[0] && messages[0].role !== 'user')
    messages.unshift(eventMessage('What came before is not shown.', at));
  // They want something to answer, too: a run may begin without a new message.
  const last = messages.at(-1);
  const newest = rows.at(-1);
  if (!last || last.role === 'assistant')
    messages.push(eventMessage(newest?.stop === 'length' ? GO_ON_CUT : 'Go on.', newest?.timestamp ?? at));
  return { messages, tokens: all ? tokens : wholeTokens, left };
}

/** How full a window is; `used` counts the prompt and the history. */
export function contextState(
  parts: ContextRow['parts'],
  window: number,
  measured: number | null,
): ContextRow {
  const sum = parts.system + parts.home + parts.skills + parts.tools + parts.history;
  const tokens = measured ?? sum;
  const pressure = window > 0 ? tokens / window : 1;
  const level = LEVELS.find((step) => pressure >= step.from)?.level ?? 'ok';
  return { tokens, window, pressure, level, parts };
}

const cachedTokens = new WeakMap<MessageRow, number>();

function tokensOf(row: MessageRow): number {
  const cached = cachedTokens.get(row);
  if (cached !== undefined) return cached;
  let tokens = 4;
  for (const block of row.content) {
    tokens += blockTokens(block);
  }
  cachedTokens.set(row, tokens);
  return tokens;
}

function blockTokens(block: Block): number {
  if (block.type === 'image' || (block.type === 'media' && block.kind === 'image')) return IMAGE_TOKENS;
  const inlined = block.type === 'media' && block.mimeType.startsWith('text/') ? block.size : 0;
  return estimateTokens(JSON.stringify(block).length - 20 + Math.min(inlined, TEXT_CHARACTERS));
}

const cachedMessages = new WeakMap<MessageRow, ModelMessage>();

function toModelMessage(row: MessageRow): ModelMessage {
  const cached = cachedMessages.get(row) ?? convert(row);
  cachedMessages.set(row, cached);
  return cached;
}

function convert(row: MessageRow): ModelMessage {
  const { timestamp } = row;
  if (row.role === 'assistant') {
    const content = row.content.filter((block) => block.type !== 'image' && block.type !== 'media');
    return { role: 'assistant', content, provider: row.provider ?? '', model: row.model ?? '', timestamp };
  }
  const content = row.content.filter((block) => block.type === 'text' || block.type === 'image');
  if (row.role === 'toolResult') {
    const { toolCallId = '', toolName = '', isError = false } = row;
    return { role: 'toolResult', toolCallId, toolName, content, isError, timestamp };
  }
  if (row.role === 'user') return { role: 'user', content, timestamp };
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return eventMessage(text, timestamp);
}

function eventMessage(text: string, timestamp: number): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text: `${eventPrefix}${text}` }], timestamp };
}
