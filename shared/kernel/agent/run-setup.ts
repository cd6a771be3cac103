import type { Reason } from '../local/chain.ts';
import type { ModelChoice, ModelTool } from '../ports/models.ts';
import type { Prompt } from './prompt.ts';

/** Everything a run needs beside its state; resolved once when the run begins or goes on after a restart. */
export type RunSetup = {
  choice: ModelChoice;
  prompt: Prompt;
  tools: ModelTool[];
  contextWindow: number;
  maxTokens: number;
  maxTurns: number;
  seesImages: boolean;
  /** For these reasons another model can be asked: `prepare` is told which. */
  fallbacks: Reason[];
  /** Why this is not the account's own model. */
  instead?: Reason | undefined;
};
