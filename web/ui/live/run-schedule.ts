import type { Page } from '../context.ts';

/** Runs a schedule now, and says what came of it. */
export async function runSchedule(
  { gsv, notices }: Pick<Page, 'gsv' | 'notices'>,
  id: string,
  name: string,
): Promise<void> {
  const answer = await notices.attempt(`${name} could not be run`, () =>
    gsv.call('sched.run', { id, mode: 'force' }),
  );
  const [result] = answer?.results ?? [];
  if (result === undefined) return;
  const said = result.error ?? result.summary ?? '';
  if (result.status === 'error') notices.bad(`${name} failed: ${said}`);
  else notices.good(result.status === 'ok' ? `${name} ran.` : `${name} had nothing to do: ${said}.`);
}
