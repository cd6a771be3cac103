import { For, type JSX, Show } from 'solid-js';
import { usePage } from '../../context.ts';
import type { Attachment } from '../../live/attachments.ts';
import { createVoice } from '../../live/voice.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { showHidden } from '../../parts/machine-text.ts';
import { createMedia } from '../../parts/media.ts';
import { bytes } from '../../parts/words.ts';
import { useChat } from './chat-context.ts';
import { Thumbnail } from './media-view.tsx';

/** Buttons that attach files, a photo, or what is said. */
export function AttachButtons(): JSX.Element {
  const touch = createMedia('(pointer: coarse)');
  return (
    <>
      <FileButton
        from="files"
        icon="clip"
        label="Attach files"
        title="Attach files: choose, paste or drop them"
        input={{ multiple: true }}
      />
      <Show when={touch()}>
        <FileButton
          from="camera"
          icon="camera"
          label="Take a photo"
          title="Take a photo"
          input={{ accept: 'image/*', capture: 'environment' }}
        />
      </Show>
      <VoiceButton />
    </>
  );
}

type FileButtonProps = {
  from: string;
  icon: IconName;
  label: string;
  title: string;
  /** What may be chosen. */
  input: Pick<JSX.InputHTMLAttributes<HTMLInputElement>, 'multiple' | 'accept' | 'capture'>;
};

function FileButton(props: FileButtonProps): JSX.Element {
  const { attachments } = useChat();
  let input: HTMLInputElement | undefined;
  const chosen = (from: HTMLInputElement): void => {
    attachments().add([...(from.files ?? [])]);
    from.value = '';
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        {...props.input}
        hidden
        aria-hidden="true"
        tabIndex={-1}
        data-attach={props.from}
        onChange={(event) => chosen(event.currentTarget)}
      />
      <button
        type="button"
        class="icon-button"
        aria-label={props.label}
        title={props.title}
        onClick={() => input?.click()}
      >
        <Icon name={props.icon} />
      </button>
    </>
  );
}

function VoiceButton(): JSX.Element {
  const { notices } = usePage();
  const { attachments, draft, setDraft } = useChat();
  const voice = createVoice({
    said: (words) => setDraft(draft().trim() === '' ? words : `${draft().trimEnd()} ${words}`),
    recorded: (file, durationMs) => attachments().add([file], { durationMs }),
    failed: (words) => notices.bad(words),
  });
  const name = (): string => {
    if (voice.listening()) return voice.way === 'words' ? 'Stop listening' : 'Stop recording';
    return voice.way === 'words' ? 'Dictate' : 'Record a voice message';
  };
  return (
    <Show when={voice.way !== null}>
      <button
        type="button"
        class="icon-button"
        classList={{ listening: voice.listening() }}
        aria-label={name()}
        aria-pressed={voice.listening()}
        title={name()}
        onClick={() => (voice.listening() ? voice.stop() : voice.start())}
      >
        <Icon name="microphone" />
      </button>
    </Show>
  );
}

/** What goes with the message, above its text. */
export function Chips(): JSX.Element {
  const { attachments } = useChat();
  return (
    <Show when={attachments().list.length > 0}>
      <ul class="plain chips" aria-label="Attached">
        <For each={attachments().list}>{(one) => <FileChip one={one} onRemove={attachments().remove} />}</For>
      </ul>
    </Show>
  );
}

function FileChip(props: { one: Attachment; onRemove(id: number): void }): JSX.Element {
  const words = (): string => {
    if (props.one.state === 'failed') return props.one.problem ?? 'It could not be attached.';
    if (props.one.state === 'uploading') return `${Math.round(props.one.progress * 100)} %`;
    return bytes(props.one.size);
  };
  return (
    <li class="file-chip" classList={{ [props.one.state]: true }}>
      <span class="file-chip-picture">
        <Show when={props.one.kind === 'image' && props.one.media} fallback={<Icon name="file" size={20} />}>
          {(media) => <Thumbnail media={media()} box={{ width: 40, height: 40 }} cover />}
        </Show>
      </span>
      <span class="file-chip-text">
        <span class="file-chip-name" dir="auto">
          {showHidden(props.one.name)}
        </span>
        <span class="file-chip-size" role="status">
          {words()}
        </span>
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={`Remove ${showHidden(props.one.name)}`}
        title="Remove"
        onClick={() => props.onRemove(props.one.id)}
      >
        <Icon name="close" size={14} />
      </button>
      <Show when={props.one.state === 'uploading'}>
        <progress
          class="file-chip-progress"
          value={props.one.progress}
          aria-label={`Storing ${props.one.name}`}
        />
      </Show>
    </li>
  );
}
