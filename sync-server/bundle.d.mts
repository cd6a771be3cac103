export function bundleRoom(outDir: string): Promise<void>;
