import type { JSX } from 'solid-js';
import { usePage } from '../context.ts';

/** A link inside the page. A click with a modifier opens it like every other link. */
export function Link(props: {
  href: string;
  class?: string;
  current?: boolean;
  label?: string;
  onGo?: () => void;
  children: JSX.Element;
}): JSX.Element {
  const { router } = usePage();
  const onClick = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    router.go(props.href);
    props.onGo?.();
  };
  return (
    <a
      href={props.href}
      class={props.class}
      aria-current={props.current ? 'page' : undefined}
      aria-label={props.label}
      onClick={onClick}
    >
      {props.children}
    </a>
  );
}
