/** How much of a file decides what it is. */
export const SNIFFED_BYTES = 8000;

/** More control characters than one in this many make a file binary. */
const TEXT_PER_CONTROL = 10;

/** Whether bytes are no text, judged by the first `SNIFFED_BYTES`: a NUL, or many control characters. */
export function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SNIFFED_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (isControl(byte)) controls += 1;
  }
  return controls * TEXT_PER_CONTROL > sample.length;
}

/** Tab, line feed, vertical tab, form feed, carriage return, backspace and escape belong to text. */
function isControl(byte: number): boolean {
  return byte < 0x08 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b) || byte === 0x7f;
}
