import { imageType } from './image-type.ts';

export type ImageSize = { width: number; height: number };

/** How large an image is, in pixels, by its header; undefined where that cannot be told. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return named(read(imageType(bytes), view));
  } catch {
    // A header that is cut off.
    return undefined;
  }
}

type Pair = readonly [width: number, height: number] | undefined;

const named = (pair: Pair): ImageSize | undefined =>
  pair && pair[0] > 0 && pair[1] > 0 ? { width: pair[0], height: pair[1] } : undefined;

function read(type: ReturnType<typeof imageType>, view: DataView): Pair {
  if (type === 'image/png') return [view.getUint32(16), view.getUint32(20)];
  if (type === 'image/gif') return [view.getUint16(6, true), view.getUint16(8, true)];
  if (type === 'image/jpeg') return jpeg(view);
  return type === 'image/webp' ? webp(view) : undefined;
}

/** Segments whose marker is one of a frame's beginning hold its size; others are stepped over. */
function jpeg(view: DataView): Pair {
  let turned = false;
  for (let at = 2; ; ) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) return undefined;
    if (marker === 0xffe1) turned ||= isTurned(view, at + 4);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) {
      const [height, width] = [view.getUint16(at + 5), view.getUint16(at + 7)];
      return turned ? [height, width] : [width, height];
    }
    at += 2 + view.getUint16(at + 2);
  }
}

/** Whether a camera says that the picture is to be shown turned by a quarter. */
function isTurned(view: DataView, at: number): boolean {
  if (view.getUint32(at) !== 0x45786966) return false;
  const start = at + 6;
  const little = view.getUint16(start) === 0x4949;
  const directory = start + view.getUint32(start + 4, little);
  const count = view.getUint16(directory, little);
  for (let entry = 0; entry < count; entry += 1) {
    const field = directory + 2 + entry * 12;
    if (view.getUint16(field, little) === 0x0112) return view.getUint16(field + 8, little) >= 5;
  }
  return false;
}

function webp(view: DataView): Pair {
  const form = view.getUint32(12);
  if (form === 0x56503820) return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  if (form === 0x5650384c) {
    const bits = view.getUint32(21, true);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  }
  if (form !== 0x56503858) return undefined;
  const three = (at: number): number => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  return [three(24) + 1, three(27) + 1];
}
