export function hashOf(folder: string, inputs: readonly string[]): string;
