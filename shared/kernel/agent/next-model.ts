import type { Reached } from '../../state/conversation.ts';
import type { Reason } from '../local/chain.ts';
import { isLocal } from '../local/engine-names.ts';
import type { RunSetup } from './run-setup.ts';

const WHY: Record<Reason, string> = {
  offline: 'The model of the network cannot be reached.',
  budget: 'A budget is used up.',
};

/** What a conversation is told when another model goes on with a run. */
export function switchWords(instead: Reason, model: string): string {
  return `${WHY[instead]} ${model} on this device answers for the rest of this run.`;
}

/** A model of this device costs nothing: budgets of money do not end it, and none does where it stands in for one. */
export function isFree({ choice, instead }: RunSetup, budgets: readonly Reached[]): boolean {
  if (!isLocal(choice.provider)) return false;
  return instead === 'budget' || budgets.every(({ unit }) => unit === 'cost');
}
