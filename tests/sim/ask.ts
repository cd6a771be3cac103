import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import type { ReplicaNode } from './nodes/replica-node.ts';
import type { World } from './world.ts';

const STEP_MS = 100;
const LONGEST_MS = 90_000;

/** Makes the same call on several replicas and lets time pass until all are answered. Failures are left out. */
export async function askAll<Name extends SyscallName>(
  world: World,
  replicas: readonly ReplicaNode[],
  name: Name,
  args: Args<Name>,
): Promise<[ReplicaNode, Result<Name>][]> {
  const answers = await askEach(
    world,
    replicas.map((replica) => ({ replica, name, args })),
  );
  return answers.flatMap(({ replica, result }) =>
    result === undefined ? [] : [[replica, result] as [ReplicaNode, Result<Name>]],
  );
}

export type Question<Name extends SyscallName> = { replica: ReplicaNode; name: Name; args: Args<Name> };

/** Makes several calls at once. A call that fails has no result. */
export async function askEach<Name extends SyscallName>(
  world: World,
  questions: readonly Question<Name>[],
): Promise<(Question<Name> & { result: Result<Name> | undefined })[]> {
  const made = questions.map((question) => ({
    question,
    call: question.replica.page?.call(question.name, question.args),
  }));
  const end = world.timeline.now + LONGEST_MS;
  await world.settle();
  while (made.some(({ call }) => call?.outcome.kind === 'open') && world.timeline.now < end) {
    await world.flow(STEP_MS);
  }
  return made.map(({ question, call }) => {
    const outcome = call?.outcome;
    return { ...question, result: outcome?.kind === 'answered' ? outcome.result : undefined };
  });
}
