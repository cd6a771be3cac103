import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** What of the Web Speech API is used; TypeScript's library does not know it. */
type Recognition = {
  continuous: boolean;
  interimResults: boolean;
  lang: string;
  onresult: ((event: RecognitionEvent) => void) | null;
  onend: (() => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  start(): void;
  stop(): void;
  abort(): void;
};
type RecognitionEvent = {
  resultIndex: number;
  results: ArrayLike<{ isFinal: boolean; 0: { transcript: string } }>;
};
type RecognitionClass = new () => Recognition;

/** `words`: the browser writes down what is said; `sound`: it is recorded and attached; null: it can do neither. */
export type VoiceWay = 'words' | 'sound' | null;

export type Voice = {
  way: VoiceWay;
  listening: Accessor<boolean>;
  start(): void;
  stop(): void;
};

export type VoiceParts = {
  /** What was said, a phrase at a time. */
  said(words: string): void;
  recorded(file: File, durationMs: number): void;
  /** Words for a person. */
  failed(words: string): void;
};

function recognitionClass(): RecognitionClass | undefined {
  const scope = globalThis as {
    SpeechRecognition?: RecognitionClass;
    webkitSpeechRecognition?: RecognitionClass;
  };
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition;
}

export function voiceWay(): VoiceWay {
  if (recognitionClass() !== undefined) return 'words';
  return 'MediaRecorder' in globalThis && navigator.mediaDevices?.getUserMedia !== undefined ? 'sound' : null;
}

const NO_MICROPHONE =
  'The microphone may not be used here. You can allow it in the browser’s settings of this site.';

export function createVoice(parts: VoiceParts): Voice {
  const [listening, setListening] = createSignal(false);
  const way = voiceWay();
  let stop = (): void => {};
  const begin = way === 'words' ? recognise : record;
  onCleanup(() => stop());

  function recognise(): void {
    const Recogniser = recognitionClass();
    if (Recogniser === undefined) return;
    const recogniser = new Recogniser();
    recogniser.continuous = true;
    recogniser.interimResults = false;
    recogniser.lang = document.documentElement.lang || navigator.language;
    recogniser.onresult = ({ resultIndex, results }) => {
      for (const result of Array.from(results).slice(resultIndex))
        if (result.isFinal) parts.said(result[0].transcript.trim());
    };
    recogniser.onerror = ({ error }) => {
      if (error === 'not-allowed') parts.failed(NO_MICROPHONE);
      else if (error !== 'no-speech' && error !== 'aborted')
        parts.failed(`Nothing was understood (${error}).`);
    };
    recogniser.onend = () => setListening(false);
    stop = () => recogniser.stop();
    setListening(true);
    recogniser.start();
  }

  function record(): void {
    setListening(true);
    void recordOnce().catch(() => {
      setListening(false);
      parts.failed(NO_MICROPHONE);
    });
  }

  async function recordOnce(): Promise<void> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const recorder = new MediaRecorder(stream);
    const heard: Blob[] = [];
    const startedAt = Date.now();
    recorder.ondataavailable = ({ data }) => heard.push(data);
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      setListening(false);
      const type = (recorder.mimeType || 'audio/webm').split(';')[0] ?? 'audio/webm';
      const name = `voice.${type.endsWith('mp4') ? 'm4a' : (type.split('/')[1] ?? 'webm')}`;
      parts.recorded(new File(heard, name, { type }), Date.now() - startedAt);
    };
    stop = () => {
      if (recorder.state !== 'inactive') recorder.stop();
    };
    recorder.start();
  }

  return { way, listening, start: begin, stop: () => stop() };
}
