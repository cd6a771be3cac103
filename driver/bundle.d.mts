/** Builds the driver as one executable file: `outFile`, an absolute path. */
export function bundleDriver(outFile: string): Promise<void>;
