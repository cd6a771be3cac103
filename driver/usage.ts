/** The command line, or what it names, is not what a command needs. Its message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
