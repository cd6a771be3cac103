import { createSignal, createUniqueId, For, type JSX, onCleanup, Show } from 'solid-js';
import { Icon, type IconName } from './icon.tsx';

export type MenuItem = { name: string; run(): void };

/** A button that opens a short list of things to do. Arrows move, Escape closes, and the focus goes back. */
export function Menu(props: { label: string; icon: IconName; items: readonly MenuItem[] }): JSX.Element {
  const [open, setOpen] = createSignal(false);
  const id = createUniqueId();
  let button: HTMLButtonElement | undefined;
  let list: HTMLDivElement | undefined;
  const close = (refocus: boolean): void => {
    setOpen(false);
    if (refocus) button?.focus();
  };
  const show = (): void => {
    setOpen(true);
    queueMicrotask(() => itemsOf(list)[0]?.focus());
  };
  const outside = (event: PointerEvent): void => {
    const { target } = event;
    if (open() && target instanceof Node && !list?.contains(target) && !button?.contains(target))
      close(false);
  };
  document.addEventListener('pointerdown', outside);
  onCleanup(() => document.removeEventListener('pointerdown', outside));
  return (
    <div class="menu-place">
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label={props.label}
        title={props.label}
        aria-haspopup="menu"
        aria-expanded={open()}
        aria-controls={open() ? id : undefined}
        onClick={() => (open() ? close(false) : show())}
      >
        <Icon name={props.icon} />
      </button>
      <Show when={open()}>
        <div
          ref={list}
          id={id}
          class="menu"
          role="menu"
          tabIndex={-1}
          aria-label={props.label}
          onKeyDown={(event) => onMenuKey(event, list, close)}
          onFocusOut={(event) => {
            if (event.relatedTarget instanceof Node && !list?.contains(event.relatedTarget)) close(false);
          }}
        >
          <For each={props.items}>
            {(item) => (
              <button
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => {
                  close(true);
                  item.run();
                }}
              >
                {item.name}
              </button>
            )}
          </For>
        </div>
      </Show>
    </div>
  );
}

function itemsOf(list: HTMLElement | undefined): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
}

function onMenuKey(
  event: KeyboardEvent,
  list: HTMLElement | undefined,
  close: (refocus: boolean) => void,
): void {
  const items = itemsOf(list);
  const at = items.findIndex((item) => item.matches(':focus'));
  const moves: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  const next = moves[event.key];
  if (event.key === 'Escape' || event.key === 'Tab') close(true);
  if (next === undefined && event.key !== 'Escape') return;
  event.preventDefault();
  event.stopPropagation();
  if (next !== undefined) items[next]?.focus();
}
