import type { Bash } from 'just-bash/browser';

type Plugin = Parameters<Bash['registerTransformPlugin']>[0];
type Script = ReturnType<Bash['transform']>['ast'];
type Pipeline = Script['statements'][number]['pipelines'][number];
type Command = Pipeline['commands'][number];

/** Run text that this pass does not see. */
const RUN_TEXT = new Set(['eval', 'source', '.']);

/**
 * Puts every command that opens files by redirection into braces. The interpreter lets an error of the file system there end
 * the whole script; inside braces it makes the one command fail, as a shell does.
 */
export const guardRedirects: Plugin = {
  name: 'guard-redirects',
  transform({ ast }) {
    guard(ast);
    return { ast };
  },
};

function guard(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  for (const inner of Object.values(node)) guard(inner);
  if (isPipeline(node))
    node.commands = node.commands.map((command) => (mayFail(command) ? braced(command) : command));
}

function isPipeline(node: object): node is Pipeline {
  return 'type' in node && node.type === 'Pipeline';
}

function mayFail(command: Command): boolean {
  if (command.type === 'FunctionDef') return false;
  const name = command.type === 'SimpleCommand' ? literalName(command) : undefined;
  // `exec` redirects for good: in braces it would still, but only until they close in other shells.
  if (name === 'exec') return false;
  return command.redirections.length > 0 || (name !== undefined && RUN_TEXT.has(name));
}

function literalName({ name }: Extract<Command, { type: 'SimpleCommand' }>): string | undefined {
  const [first, ...others] = name?.parts ?? [];
  return first?.type === 'Literal' && others.length === 0 ? first.value : undefined;
}

function braced(command: Command): Command {
  const pipeline: Pipeline = { type: 'Pipeline', commands: [command], negated: false };
  const body: Script['statements'] = [
    { type: 'Statement', pipelines: [pipeline], operators: [], background: false },
  ];
  return { type: 'Group', body, redirections: [] };
}
