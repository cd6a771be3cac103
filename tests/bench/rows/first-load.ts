import { fetchedBytes } from '../../support/fetched-files.ts';
import { World } from '../../support/world.ts';
import { type Row, rowOf } from '../row.ts';

/** The reference system's page, gzipped, in kB (DESIGN 8). */
const REFERENCE_KB = 366;
const BUDGET_KB = 150;

/** What the page fetches until its first view works, gzipped; the kernel's worker is counted apart. */
export async function firstLoad(): Promise<Row[]> {
  const world = await World.start();
  try {
    const { page } = await world.open();
    await page.getByLabel('Username').waitFor();
    const setup = await fetchedBytes(page);
    await world.setUp(page);
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    return [rowFor('setup', setup), rowFor('chat', await fetchedBytes(page))];
  } finally {
    await world.stop();
  }
}

function rowFor(view: string, bytes: number): Row {
  const peer = "the reference system's page, before its first view";
  const described = { name: `first load, ${view} view, gzipped`, peer, unit: 'kB' as const };
  return rowOf({ ...described, budget: Number((BUDGET_KB / REFERENCE_KB).toFixed(3)) }, [
    { ours: bytes / 1000, theirs: REFERENCE_KB },
  ]);
}
