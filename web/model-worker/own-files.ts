/**
 * A file of the origin's private file system, from the pieces that it is stored in. The result is read from the disk as
 * it is used, and never whole into memory. Rejects when a piece is missing.
 */
export async function ownFile(paths: readonly string[]): Promise<Blob> {
  const root = await navigator.storage.getDirectory();
  return new Blob(await Promise.all(paths.map((path) => piece(root, path))));
}

async function piece(root: FileSystemDirectoryHandle, path: string): Promise<File> {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let directory = root;
  for (const name of names) directory = await directory.getDirectoryHandle(name);
  return (await directory.getFileHandle(last)).getFile();
}
