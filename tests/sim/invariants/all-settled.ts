import type { Stage } from '../program/stage.ts';

/** Every call of a page was answered or refused. */
export function allSettled({ world }: Stage): string[] {
  return world.witness.calls.flatMap(({ replica, call, at }) =>
    call.outcome.kind === 'open' && world.timeline.now - at > 120_000
      ? [`a call of ${replica}, ${call.name}, was never answered`]
      : [],
  );
}
