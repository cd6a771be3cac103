import { createEffect, createMemo, Index, type JSX } from 'solid-js';
import { usePage } from '../context.ts';
import { copyable } from './code-copy.ts';

/** Markdown from a model: every block is rendered again only when it has changed, which keeps streaming quick. */
export function Markdown(props: { source: string }): JSX.Element {
  const { blocks, version } = usePage().markdown;
  const html = createMemo(() => {
    version();
    return blocks(props.source);
  });
  return (
    <div class="markdown" dir="auto">
      <Index each={html()}>{(block) => <Block html={block()} />}</Index>
    </div>
  );
}

function Block(props: { html: string }): JSX.Element {
  const { fragment: toFragment } = usePage().markdown;
  let place: HTMLDivElement | undefined;
  createEffect(() => {
    const fragment = toFragment(props.html);
    copyable(fragment);
    place?.replaceChildren(fragment);
  });
  return <div ref={place} class="markdown-block" />;
}
