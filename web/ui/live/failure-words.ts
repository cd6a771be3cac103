/** Whether a failure is mended in the settings of the model. */
export function namesSettings(failure: string): boolean {
  return /\bin Settings\b/.test(failure);
}

/** The same failure, said where those settings are on the screen. */
export function aboveWords(failure: string): string {
  return failure.replace(/in Settings(, Model,)?/g, 'above');
}
