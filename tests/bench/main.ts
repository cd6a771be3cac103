import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tableOf } from './print-table.ts';
import type { Row } from './row.ts';
import { agentTurn } from './rows/agent-turn.ts';
import { coldOpen } from './rows/cold-open.ts';
import { conversations } from './rows/conversations.ts';
import { deviceCall } from './rows/device-call.ts';
import { firstLoad } from './rows/first-load.ts';
import { idle } from './rows/idle.ts';
import { join } from './rows/join.ts';
import { kernelBoot } from './rows/kernel-boot.ts';
import { localTokens } from './rows/local-tokens.ts';
import { replication } from './rows/replication.ts';
import { schedules } from './rows/schedules.ts';
import { scrolling } from './rows/scrolling.ts';
import { sealed } from './rows/sealed.ts';
import { sealedBlob } from './rows/sealed-blob.ts';
import { search } from './rows/search.ts';
import { tabSyscall } from './rows/tab-syscall.ts';
import { BenchSite } from './site.ts';

const groups: Record<string, (site: BenchSite) => Promise<Row[]>> = {
  syscall: tabSyscall,
  device: deviceCall,
  turn: agentTurn,
  conversation: conversations,
  scroll: scrolling,
  boot: kernelBoot,
  load: firstLoad,
  offline: coldOpen,
  tokens: localTokens,
  replication,
  join,
  idle,
  search,
  schedules,
  sealed,
  blob: sealedBlob,
};

/** Measures the named groups, or all; prints the rows and, when all were measured, writes `results.json`. */
export async function main(wanted: string[]): Promise<void> {
  const names = wanted.length > 0 ? wanted : Object.keys(groups);
  const site = await BenchSite.start();
  const rows: Row[] = [];
  try {
    for (const name of names) {
      const group = groups[name];
      if (!group) throw new Error(`There is no group ${name}; there are ${Object.keys(groups).join(', ')}`);
      const started = Date.now();
      rows.push(...(await group(site)));
      console.log(`measured ${name} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
    }
  } finally {
    await site.stop();
  }
  console.log(`\n${tableOf(rows)}`);
  if (wanted.length > 0) return;
  writeFileSync(
    fileURLToPath(new URL('results.json', import.meta.url)),
    `${JSON.stringify(rows, null, 2)}\n`,
  );
}
