import { createEffect, createSignal, type JSX, Show } from 'solid-js';

/** What a scanner needs of empty space around the code, in modules. */
const QUIET = 4;

type Drawing = { side: number; path: string };

/** A text as a QR code: dark on light in every theme, as scanners want it. Its place is there before it is drawn. */
export function QrCode(props: { text: string; label: string }): JSX.Element {
  // Not a resource: a dialog that is suspended while its code is fetched would lose its place above the page.
  const [drawing, setDrawing] = createSignal<Drawing>();
  createEffect(() => void draw(props.text).then(setDrawing, () => {}));
  return (
    <div class="qr">
      <Show when={drawing()}>
        {(drawn) => (
          <svg viewBox={`0 0 ${drawn().side} ${drawn().side}`} role="img" aria-label={props.label}>
            <path d={drawn().path} />
          </svg>
        )}
      </Show>
    </div>
  );
}

async function draw(text: string): Promise<Drawing> {
  const { generate } = await import('lean-qr');
  const code = generate(text);
  const parts: string[] = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (code.get(x, y)) parts.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
    }
  }
  return { side: code.size + 2 * QUIET, path: parts.join('') };
}
