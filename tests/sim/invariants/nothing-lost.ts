import type { Stage } from '../program/stage.ts';
import { archiveOf, type Picture, type View } from './picture.ts';

/** What was acknowledged is there: messages once, file contents unless somebody who knew them took them away. */
export function nothingLost({ views: [view] }: Picture, stage: Stage): string[] {
  if (!view) return [];
  return [...lostMessages(view, stage), ...lostFiles(view, stage), ...lostCalls(view, stage)];
}

function lostMessages(view: View, { messages }: Stage): string[] {
  const shown = [...view.histories.values()].map((history) => JSON.stringify(history)).join('\n');
  const queued = [...view.queued.values()].flat().join('\n');
  const archived = archiveOf(view);
  return messages.flatMap(({ token, call, takenBack, pid }) => {
    const acknowledged = call.outcome.kind === 'answered' && call.outcome.result.ok;
    const times = count(shown, token) + count(queued, token);
    const kept = times + count(archived, token);
    if (acknowledged && !takenBack && kept === 0) return [`the message ${token} to ${pid} is lost`];
    return times > 1 ? [`the message ${token} to ${pid} is there ${times} times`] : [];
  });
}

function lostFiles(view: View, { changes }: Stage): string[] {
  const contents = [...view.files.values()].join('\n');
  return changes.flatMap(({ token, path, call, contested }, at) => {
    const acknowledged = call.outcome.kind === 'answered' && call.outcome.result.ok;
    if (token === null || !acknowledged || contested || count(contents, token) > 0) return [];
    // Who knew it may have replaced it, and so may who learned of it before their change was carried out.
    const replaced = changes
      .slice(at + 1)
      .some((later) => later.path === path && (later.knew === null || later.knew.includes(token)));
    return replaced ? [] : [`what was written to ${path} (${token}) is lost`];
  });
}

/** What a device did, the history knows of. */
function lostCalls(view: View, { world }: Stage): string[] {
  const known = [
    ...[...view.histories.values()].map((history) => JSON.stringify(history)),
    archiveOf(view),
  ].join('\n');
  return world.witness.executions.flatMap(({ text }) => {
    const token = /\bt[a-z0-9]+q\b/.exec(text)?.[0] ?? '';
    return known.includes(token) ? [] : [`a device did ${text}, and no history tells of it`];
  });
}

function count(text: string, token: string): number {
  return text.split(new RegExp(`\\b${token}\\b`)).length - 1;
}
