import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { editTables } from '../../../tests/support/edit-doc.ts';
import { processRow } from '../../../tests/support/files-fixture.ts';
import { TestKernel } from '../../../tests/support/kernel.ts';
import { says } from '../../../tests/support/scripted-models.ts';
import { emptySystem } from '../../../tests/support/system-doc.ts';
import { type SystemTables, systemTables } from '../../state/system.ts';
import { ProcessStates } from './process-states.ts';

const HOME = { pid: 'init:1000', conversationId: 'default' };
const B_SIDE = { pid: 'init:1000', conversationId: 'b' };
const APART = { kind: 'apart' } as const;
const GUEST = { kind: 'guest' } as const;
const holder = (epoch: number) => ({ kind: 'holder', epoch }) as const;

type Side = { doc: Y.Doc; tables: SystemTables; states: ProcessStates };

/** Replicas with the row of one process; what they say of it is their own until `meet`. */
function replicas(count: number): Side[] {
  const sides = Array.from({ length: count }, (_, index): Side => {
    const doc = new Y.Doc();
    const tables = systemTables({ ...emptySystem(), system: doc });
    return { doc, tables, states: new ProcessStates(tables, { index }) };
  });
  sides[0]?.tables.processes.put('init:1000', processRow('init:1000', { queuedCount: 2, state: 'running' }));
  meet(sides);
  return sides;
}

function meet(sides: readonly Side[]): void {
  for (const { doc } of sides) {
    for (const other of sides) Y.applyUpdate(other.doc, Y.encodeStateAsUpdate(doc));
  }
}

/** What each of them shows. */
function shown(sides: readonly Side[]): string[] {
  return sides.map(({ tables, states }) => {
    const row = tables.processes.get('init:1000');
    const { state, queuedCount } = row ? states.joined(row) : { state: 'gone', queuedCount: 0 };
    return `${state} ${queuedCount}`;
  });
}

/** Sides for which the compiler knows that they are there. */
function three(): [Side, Side, Side] {
  const [a, b, c] = replicas(3);
  if (!a || !b || !c) throw new Error('three');
  return [a, b, c];
}

test('[P360] who takes a run over, or ends it by a reset, takes away what its former owner said of it', () => {
  const [a, b, c] = three();
  const all = [a, b, c];
  a.states.say({ ...HOME, state: 'running', runId: 'one', queuedCount: 1 }, holder(1));
  meet(all);
  b.states.say({ ...HOME, state: 'running', runId: 'one', queuedCount: 0 }, holder(2));
  b.states.takeBack(HOME, 'one');
  b.states.say({ ...HOME, state: 'idle', updatedAt: 5 }, holder(2));
  meet(all);
  expect(shown(all)).toEqual(['idle 0', 'idle 0', 'idle 0']);
  // Another run of it, which waits for the lease that it does not have, goes on all the same.
  a.states.say({ ...HOME, state: 'running', runId: 'two' }, GUEST);
  b.states.takeBack(HOME, 'one');
  meet(all);
  expect(shown(all)).toEqual(['running 0', 'running 0', 'running 0']);
  expect(a.states.own('init:1000', 'default')?.runId).toBe('two');
});

test('[P365] where nothing goes on, the word of who had the process last counts, whatever the clocks say and whichever comes last', () => {
  const [a, b, c] = three();
  const all = [a, b, c];
  a.states.say({ ...HOME, state: 'error', queuedCount: 2, updatedAt: 9_000 }, holder(3));
  meet(all);
  // A new room counts from one again: who has a process speaks above all that it has heard.
  b.states.say({ ...HOME, state: 'idle', queuedCount: 0, updatedAt: 5 }, holder(1));
  a.states.say({ ...HOME, queuedCount: 3 }, GUEST);
  meet(all);
  expect(shown(all)).toEqual(['idle 0', 'idle 0', 'idle 0']);
});

test('[P361] what a replica does while it is cut off is seen there, and by the others when it is back', () => {
  const [a, b, c] = three();
  const all = [a, b, c];
  b.states.say({ ...HOME, state: 'idle', updatedAt: 9 }, holder(4));
  meet(all);
  a.states.say({ ...HOME, state: 'waiting', queuedCount: 3 }, APART);
  b.states.say({ ...HOME, state: 'error', updatedAt: 10 }, GUEST);
  expect(shown(all)).toEqual(['waiting 3', 'error 0', 'idle 0']);
  meet(all);
  expect(shown(all)).toEqual(['waiting 3', 'waiting 3', 'waiting 3']);
});

test('[P362] a process shows what needs a person first, of all of its conversations, and counts what is queued in each', () => {
  const [a, b, c] = three();
  a.states.say({ ...HOME, state: 'running', queuedCount: 1, updatedAt: 3 }, holder(1));
  b.states.say({ ...B_SIDE, state: 'waiting', queuedCount: 2, updatedAt: 2 }, APART);
  c.states.say({ ...HOME, state: 'error', updatedAt: 90 }, GUEST);
  meet([a, b, c]);
  expect(shown([a, b, c])).toEqual(['waiting 3', 'waiting 3', 'waiting 3']);
});

test('[P364] a name that a process is given in one browser stays when a run of it ends in another at that moment', () => {
  const [a, b, c] = three();
  a.states.say({ ...HOME, state: 'running' }, holder(1));
  meet([a, b, c]);
  c.tables.processes.patch('init:1000', { label: 'The garden' });
  a.states.say({ ...HOME, state: 'idle', updatedAt: 5 }, holder(1));
  b.states.say({ ...HOME, queuedCount: 1 }, GUEST);
  meet([a, b, c]);
  const rows = [a, b, c].map(({ tables, states }) => {
    const row = tables.processes.get('init:1000');
    return row && states.joined(row);
  });
  for (const row of rows) expect(row).toMatchObject({ label: 'The garden', state: 'idle', queuedCount: 0 });
});

test('[P363] what an older version wrote of a process is shown until something is said of it', async () => {
  const [a] = three();
  expect(shown([a])).toEqual(['running 2']);
  const kernel = new TestKernel(() => says('ok'));
  await kernel.ready();
  await kernel.kernel.stop();
  editTables(kernel.disk, (tables) => {
    const { processes } = tables;
    processes.put('old', { ...processRow('old'), state: 'error', updatedAt: 77, queuedCount: 1 });
    processes.put('ended', { ...processRow('ended'), state: 'killed' });
  });
  const page = await kernel.restart();
  const view = await page.call('view.open', { view: 'processes' });
  const old = view.rows.find(({ key }) => key === 'old')?.value;
  expect(old).toMatchObject({ state: 'error', updatedAt: 77, queuedCount: 1 });
  expect(view.rows.some(({ key }) => key === 'ended')).toBe(false);
  await page.run('hello', 'old');
  const { processes } = await page.call('proc.list', {});
  expect(processes.find(({ pid }) => pid === 'old')).toMatchObject({ state: 'idle' });
});
