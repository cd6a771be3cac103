import { type Accessor, createSignal } from 'solid-js';

/** Takes files that are dropped on an element; `over` while some are held above it. */
export function createDropTarget(take: (files: readonly File[]) => void): {
  over: Accessor<boolean>;
  handlers: Record<'onDragEnter' | 'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent) => void>;
} {
  const [depth, setDepth] = createSignal(0);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true;
  const ours = (step: (event: DragEvent) => void) => (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    step(event);
  };
  return {
    over: () => depth() > 0,
    handlers: {
      onDragEnter: ours(() => setDepth((count) => count + 1)),
      onDragOver: ours(({ dataTransfer }) => {
        if (dataTransfer) dataTransfer.dropEffect = 'copy';
      }),
      onDragLeave: ours(() => setDepth((count) => Math.max(0, count - 1))),
      onDrop: ours(({ dataTransfer }) => {
        setDepth(0);
        take([...(dataTransfer?.files ?? [])]);
      }),
    },
  };
}

/** Files of the clipboard, unless it holds text too: an office program copies a picture of what is meant as text. */
export function pastedFiles({ clipboardData }: ClipboardEvent): File[] {
  if (!clipboardData || clipboardData.types.includes('text/plain')) return [];
  return [...clipboardData.files];
}
