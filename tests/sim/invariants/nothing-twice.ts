import type { Stage } from '../program/stage.ts';
import type { Picture } from './picture.ts';

/** No tool call takes effect twice. */
export function nothingTwice({ views: [view] }: Picture, { world }: Stage): string[] {
  const found: string[] = [];
  const executed = new Map<string, number>();
  for (const { text } of world.witness.executions) executed.set(text, (executed.get(text) ?? 0) + 1);
  for (const [text, times] of executed) if (times > 1) found.push(`the device did ${text} ${times} times`);
  for (const { token, native } of world.witness.toolCalls) {
    if (!native) continue;
    for (const [path, content] of view?.files ?? []) {
      const times = path.startsWith('/var/') ? 0 : content.split(token).length - 1;
      if (times > 1) found.push(`${token} was written to ${path} ${times} times`);
    }
  }
  return found;
}
