import type { Block, MessageRow } from '../../state/conversation.ts';
import type { ProcessRow } from '../../state/system.ts';
import type { HistoryMessage } from '../../syscalls/proc.ts';
import type { Conversation } from './conversation.ts';

const STEP = 200;

/** `title`: null where it is the one of the process. */
export type ExportedConversation = {
  conversation: Conversation;
  conversationId: string;
  title: string | null;
};
export type Exported = { name: string; text: string };

/** A conversation as one text: Markdown for people, JSON with the messages as `proc.history` gives them for programs. */
export async function exportConversation(
  process: ProcessRow,
  { conversation, conversationId, title }: ExportedConversation,
  format: 'markdown' | 'json',
): Promise<Exported> {
  await conversation.caughtUp();
  const rows: MessageRow[] = [];
  for (let offset = 0; offset < conversation.count; offset += STEP)
    rows.push(...(await conversation.log.slice(offset, STEP)));
  const head = title ?? process.label ?? process.pid;
  const name = fileName(head);
  if (format === 'markdown') return { name: `${name}.md`, text: markdown(head, rows) };
  const { pid, profile, createdAt } = process;
  const about = { pid, profile, label: process.label, conversationId, createdAt };
  return {
    name: `${name}.json`,
    text: `${JSON.stringify({ ...about, messages: rows.map(historyMessage) }, null, 1)}\n`,
  };
}

/** A stored message as `proc.history` gives it. */
export function historyMessage(row: MessageRow): HistoryMessage {
  const { id, role, content, timestamp, runId, ...meta } = row;
  return {
    id,
    role,
    content: role === 'user' ? content : { blocks: content, ...meta },
    timestamp,
    ...(runId ? { runId } : {}),
  };
}

const HEADINGS: Record<MessageRow['role'], string> = {
  user: 'User',
  assistant: 'Assistant',
  toolResult: 'Result',
  system: 'Note',
};

function markdown(title: string, rows: readonly MessageRow[]): string {
  return `# ${title.replaceAll('\n', ' ')}\n\n${rows.map(section).join('\n')}`;
}

function section(row: MessageRow): string {
  const at = new Date(row.timestamp).toISOString();
  const what = row.role === 'toolResult' ? `${HEADINGS.toolResult} of ${row.toolName}` : HEADINGS[row.role];
  const body = row.role === 'toolResult' ? resultBody(row) : row.content.map(blockText).join('\n\n');
  return `## ${what} · ${at}\n\n${body}\n`;
}

function resultBody({ content, isError, target }: MessageRow): string {
  const where = target ? ` on ${target}` : '';
  const text = content.map((block) => (block.type === 'text' ? block.text : blockText(block))).join('\n');
  return `${isError ? 'Failed' : 'Done'}${where}:\n\n${fenced(text)}`;
}

function blockText(block: Block): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return `[image, ${block.mimeType}]`;
  if (block.type === 'media') return `[${block.kind}: ${block.name}, ${block.path}]`;
  if (block.type === 'thinking') return quoted(block.thinking);
  return `Calls **${block.name}**:\n\n${fenced(JSON.stringify(block.arguments, null, 2), 'json')}`;
}

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** A block whose fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Letters, digits and dashes; short, and never empty. */
function fileName(title: string): string {
  const plain = title
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return plain.slice(0, 60) || 'conversation';
}
