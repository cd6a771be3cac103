/** Models refuse larger pictures, and see no more in them. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_PIXELS = 2_400;
const QUALITY = 0.88;

/** A photograph as a smaller one, where it is larger than models take; anything else as it is. */
export async function shrunk(file: File): Promise<File> {
  if (!/^image\/(jpeg|png|webp)$/.test(file.type) || file.size <= MOST_BYTES) return file;
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, MOST_PIXELS / Math.max(picture.width, picture.height));
    const canvas = new OffscreenCanvas(Math.round(picture.width * scale), Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const smaller = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
    if (smaller.size >= file.size) return file;
    return new File([smaller], file.name.replace(/\.\w+$/, '.jpg'), { type: 'image/jpeg' });
  } catch {
    // A picture that the browser cannot read is attached as it is.
    return file;
  }
}
