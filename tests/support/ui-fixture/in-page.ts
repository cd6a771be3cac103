/** Functions that run inside of the page under test: each stands alone, and sees nothing of this file. */

/** What the scripted page offers to tests. */
export type Fixture = {
  gsv: {
    calls: { name: string; args: unknown }[];
    received: number[];
    inviteMs: number;
    takeover: string;
    scene: { session: string; views: Record<string, ReadonlyMap<string, Record<string, unknown>>> };
    put(view: string, changes: Record<string, unknown>): void;
    stream(pid: string, pieces: string[], everyMs: number): Promise<void>;
    lose(attachment: string, reason: string): void;
  };
};

export async function runAxe(): Promise<string[]> {
  const { axe } = window as unknown as {
    axe: {
      run(): Promise<{
        violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    };
  };
  const { violations } = await axe.run();
  const bad = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return bad.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`).join(' | ')}`,
  );
}

/** What must not be in the log, whichever text it came from. */
export function inspectLog(): { harm: string[]; keys: string[]; top: number } {
  const element = document.querySelector('[role=log]');
  if (element === null) return { harm: ['no log'], keys: [], top: 0 };
  const harm: string[] = [];
  const keys: string[] = [];
  for (const answer of element.querySelectorAll('.answer')) {
    keys.push(answer.textContent ?? '');
    for (const child of answer.querySelectorAll('*')) {
      if (
        /^(?:script|iframe|object|embed|form|input|style|link|meta|base|svg|math|video|audio|source|template|details)$/i.test(
          child.tagName,
        )
      )
        harm.push(child.outerHTML);
      for (const { name, value } of child.attributes) {
        if (/^on|^style$|^srcset$|^id$|^name$|formaction/.test(name)) harm.push(child.outerHTML);
        if (name === 'href' && !/^(?:https?|mailto):/.test(value)) harm.push(child.outerHTML);
        if (name === 'src' && !value.startsWith('data:image/')) harm.push(child.outerHTML);
      }
      if (child.matches('a[href]:not([rel="noopener noreferrer"][target="_blank"])'))
        harm.push(child.outerHTML);
      if (child.matches('a.button')) harm.push(child.outerHTML);
    }
    if (/[\u202a-\u202e\u2066-\u2069]/.test(answer.textContent ?? ''))
      harm.push(`reorders: ${answer.textContent}`);
  }
  return { harm, keys, top: element.scrollTop };
}

export async function streamAndMeasure(): Promise<{ gap: number; shift: number }> {
  const element = document.querySelector('[role=log]');
  if (element === null) throw new Error('There is no log.');
  let shift = 0;
  let gap = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
  });
  observer.observe({ type: 'layout-shift' });
  let streaming = true;
  // After a frame was drawn, so that what is measured was seen.
  const measure = (): void => {
    gap = Math.max(gap, element.scrollHeight - element.scrollTop - element.clientHeight);
    if (streaming) requestAnimationFrame(() => setTimeout(measure));
  };
  measure();
  const pieces = Array.from({ length: 80 }, (_, place) =>
    place % 17 === 16 ? '\n\n' : `word ${place} and some more `,
  );
  await (window as unknown as Fixture).gsv.stream(
    'task:parts',
    [...pieces, '\n\n```ts\nconst a = 1;\n', 'const b = 2;\n```\n'],
    10,
  );
  await new Promise((resolve) => setTimeout(resolve, 400));
  streaming = false;
  observer.disconnect();
  return { gap, shift };
}

/**
 * The rows of the long conversation that are in the document: their places in it, how many entries there are at all,
 * and whether they cover what is seen.
 */
export function rowsInView(): { places: number[]; entries: number; covered: boolean } {
  const element = document.querySelector('[role=log]');
  const entries = [...(element?.querySelectorAll('.entry') ?? [])];
  if (element === null) return { places: [], entries: 0, covered: false };
  const edges = entries.map((entry) => entry.getBoundingClientRect());
  const { top, bottom } = element.getBoundingClientRect();
  const [first, last] = [edges.at(0), edges.at(-1)];
  // The column's own margins stand before the first row and after the last.
  const margin = 24;
  return {
    places: entries
      .map((entry) => /step (?:= )?(\d+)/i.exec(entry.textContent ?? '')?.[1])
      .filter((place) => place !== undefined)
      .map(Number),
    entries: entries.length,
    covered:
      first !== undefined &&
      last !== undefined &&
      first.top <= top + margin &&
      last.bottom >= bottom - margin,
  };
}
