import { createUniqueId, type JSX, onCleanup, onMount } from 'solid-js';
import { usePage } from '../context.ts';
import { Icon } from './icon.tsx';
import { closeOnBack } from './layers.ts';
import { NARROW } from './media.ts';

type Shape = 'box' | 'wide' | 'sheet' | 'palette' | 'large';

/**
 * A modal dialog of the browser: it keeps the focus inside, closes with Escape, and gives the focus back. It is open
 * for as long as it is rendered.
 */
export function Dialog(props: {
  title: string;
  shape?: Shape;
  bare?: boolean;
  onClose(): void;
  children: JSX.Element;
}): JSX.Element {
  const titleId = createUniqueId();
  let dialog: HTMLDialogElement | undefined;
  onMount(() => dialog?.showModal());
  if (window.matchMedia(NARROW).matches) closeOnBack(() => props.onClose());
  onCleanup(() => dialog?.close());
  const onPointerDown = (event: PointerEvent): void => {
    if (event.target === dialog) props.onClose();
  };
  return (
    <dialog
      ref={dialog}
      class="dialog"
      classList={{ [props.shape ?? 'box']: true }}
      aria-labelledby={titleId}
      onPointerDown={onPointerDown}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <div class="dialog-body">
        <header class="dialog-head" classList={{ 'visually-hidden': props.bare === true }}>
          <h2 id={titleId}>{props.title}</h2>
          <button
            type="button"
            class="icon-button"
            aria-label="Close"
            tabIndex={props.bare ? -1 : 0}
            onClick={() => props.onClose()}
          >
            <Icon name="close" />
          </button>
        </header>
        {props.children}
      </div>
    </dialog>
  );
}

/** The one place where questions before harm are asked (`notices.confirm`). */
export function ConfirmDialog(): JSX.Element {
  const { notices } = usePage();
  const asked = (): NonNullable<ReturnType<typeof notices.question>> => {
    const question = notices.question();
    if (question === null) throw new Error('There is no question to ask.');
    return question;
  };
  const { title, text, action, danger, answer } = asked();
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <p class="dialog-text">{text}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={() => answer(false)} autofocus>
          Cancel
        </button>
        <button
          type="button"
          class="button"
          classList={{ danger, primary: !danger }}
          onClick={() => answer(true)}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
