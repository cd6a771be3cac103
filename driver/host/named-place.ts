import { relative } from 'node:path';
import { placeTags } from '../../shared/fs-text/place-tags.ts';
import { isWithin, type Machine, realPathOf } from './machine.ts';
import { OperationFailure } from './operation.ts';

/**
 * Refuses to change, through a link, what deserves a look where the named path does not: whoever was asked about the
 * path would have been asked about another place. Rejects with OperationFailure.
 */
export async function checkNamed(machine: Machine, named: string, absolute: string): Promise<void> {
  const real = await realPathOf(absolute);
  const said = placeTags(named);
  const meant = await asNamed(machine, real);
  if (placeTags(meant).every((tag) => said.includes(tag))) return;
  throw new OperationFailure(`${named} leads to ${real} by a link. To change that, name it by that path`);
}

/** A path without links as a caller would name it: relative to the workspace, below `~`, or absolute. */
async function asNamed({ workspace, home }: Machine, real: string): Promise<string> {
  const [realWorkspace, realHome] = [await realPathOf(workspace), await realPathOf(home)];
  if (isWithin(realWorkspace, real)) return relative(realWorkspace, real) || '.';
  return isWithin(realHome, real) ? `~/${relative(realHome, real)}` : real;
}
