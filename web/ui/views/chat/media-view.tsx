import { type Accessor, createEffect, createSignal, For, type JSX, Match, Show, Switch } from 'solid-js';
import type { MediaBlock } from '../../../../shared/state/conversation.ts';
import { usePage } from '../../context.ts';
import { type Box, fitted, type Media } from '../../live/media.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { bytes, stopwatch } from '../../parts/words.ts';

const IN_CONVERSATION: Box = { width: 320, height: 240 };

/** The address of media: undefined until it is known, null where there is none. It holds up nothing that waits for it. */
function createAddress(wanted: () => Media | null): Accessor<string | null | undefined> {
  const { media: loader } = usePage();
  const [address, setAddress] = createSignal<string | null>();
  createEffect(() => {
    const media = wanted();
    if (media === null) return;
    void loader.address(media).then((found) => {
      if (wanted() === media) setAddress(found);
    });
  });
  return address;
}

/** What a message refers to: pictures that open large, sound that can be heard, files that can be saved. */
export function MediaList(props: { media: readonly MediaBlock[] }): JSX.Element {
  const [open, setOpen] = createSignal<MediaBlock | null>(null);
  return (
    <Show when={props.media.length > 0}>
      <div class="media-list">
        <For each={props.media}>
          {(media) => (
            <Switch fallback={<FileLine media={media} />}>
              <Match when={media.kind === 'image'}>
                <button
                  type="button"
                  class="media-open"
                  aria-label={`Open ${showHidden(media.name)}`}
                  onClick={() => setOpen(media)}
                >
                  <Thumbnail media={media} box={IN_CONVERSATION} />
                </button>
              </Match>
              <Match when={media.kind === 'audio'}>
                <Sound media={media} />
              </Match>
            </Switch>
          )}
        </For>
      </div>
      <Show when={open()} keyed>
        {(media) => <Large media={media} onClose={() => setOpen(null)} />}
      </Show>
    </Show>
  );
}

/** A picture in a box of its final size from the beginning, so that nothing moves when it arrives. */
export function Thumbnail(props: { media: Media; box: Box; cover?: boolean }): JSX.Element {
  const address = createAddress(() => props.media);
  const size = (): Box => (props.cover ? props.box : fitted(props.media, props.box));
  return (
    <span
      class="thumbnail"
      classList={{ cover: props.cover === true }}
      style={{ width: `${size().width}px`, 'aspect-ratio': `${size().width} / ${size().height}` }}
    >
      <Show
        when={address()}
        fallback={
          <Show when={address() === null}>
            <span class="thumbnail-gone">
              {props.cover ? '' : `${showHidden(props.media.name)} is not here`}
            </span>
          </Show>
        }
      >
        {(source) => (
          <img
            src={source()}
            alt={props.cover ? '' : showHidden(props.media.name)}
            width={size().width}
            height={size().height}
            decoding="async"
          />
        )}
      </Show>
    </span>
  );
}

function Large(props: { media: MediaBlock; onClose(): void }): JSX.Element {
  const address = createAddress(() => props.media);
  return (
    <Dialog title={showHidden(props.media.name)} shape="large" onClose={() => props.onClose()}>
      <Show
        when={address()}
        fallback={<p class="dialog-text">{address() === null ? 'It is not here.' : '…'}</p>}
      >
        {(source) => (
          <img
            class="large-picture"
            src={source()}
            alt={showHidden(props.media.name)}
            width={props.media.width}
            height={props.media.height}
          />
        )}
      </Show>
      <div class="large-foot">
        <span class="hint">{bytes(props.media.size)}</span>
        <SaveButton media={props.media} />
      </div>
    </Dialog>
  );
}

function Sound(props: { media: MediaBlock }): JSX.Element {
  const [wanted, setWanted] = createSignal(false);
  const address = createAddress(() => (wanted() ? props.media : null));
  const loading = (): boolean => wanted() && address() === undefined;
  return (
    <div class="sound">
      <Show
        when={address()}
        fallback={
          <button type="button" class="button" disabled={wanted()} onClick={() => setWanted(true)}>
            <Icon name="play" size={15} />
            {loading() ? '…' : address() === null ? 'It is not here' : 'Play'}
          </button>
        }
      >
        {(source) => (
          // biome-ignore lint/a11y/useMediaCaption: a person's own recording has no captions; its transcript stands below
          <audio controls autoplay src={source()} />
        )}
      </Show>
      <span class="hint">
        {showHidden(props.media.name)} ·{' '}
        {props.media.durationMs === undefined ? bytes(props.media.size) : stopwatch(props.media.durationMs)}
      </span>
      <Show when={props.media.transcription}>{(words) => <p dir="auto">{showHidden(words())}</p>}</Show>
    </div>
  );
}

function FileLine(props: { media: MediaBlock }): JSX.Element {
  return (
    <div class="file-line">
      <Icon name="file" size={18} />
      <span class="file-chip-text">
        <span class="file-chip-name" dir="auto">
          {showHidden(props.media.name)}
        </span>
        <span class="file-chip-size">{bytes(props.media.size)}</span>
      </span>
      <SaveButton media={props.media} />
    </div>
  );
}

function SaveButton(props: { media: MediaBlock }): JSX.Element {
  const page = usePage();
  const save = () =>
    page.notices.attempt('It was not saved', async () => {
      const { saveFile } = await import('../../live/files.ts');
      saveFile(props.media.name, await page.media.file(props.media));
      return true;
    });
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={`Save ${showHidden(props.media.name)}`}
      onClick={() => void save()}
    >
      Save
    </button>
  );
}
