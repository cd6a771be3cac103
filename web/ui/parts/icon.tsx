import { For, type JSX } from 'solid-js';

const drawings = {
  chat: ['M4 5h16v11H9l-5 4z'],
  processes: ['M4 7h16', 'M4 12h10', 'M4 17h13'],
  devices: [
    'M4.5 5h15A1.5 1.5 0 0 1 21 6.5v8a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 14.5v-8A1.5 1.5 0 0 1 4.5 5z',
    'M8 20h8',
  ],
  settings: [
    'M4 7h9',
    'M19 7h1',
    'M4 17h1',
    'M11 17h9',
    'M16 4.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z',
    'M8 14.5a2.5 2.5 0 1 1 0 5a2.5 2.5 0 1 1 0-5z',
  ],
  plus: ['M12 5v14', 'M5 12h14'],
  close: ['M6 6l12 12', 'M18 6L6 18'],
  panel: ['M4 5h16v14H4z', 'M15 5v14'],
  search: ['M10.5 4.5a6 6 0 1 1 0 12a6 6 0 1 1 0-12z', 'M15 15l5 5'],
  down: ['M12 5v14', 'M6 13l6 6 6-6'],
  chevron: ['M9 6l6 6-6 6'],
  copy: ['M9 9h10v11H9z', 'M5 15V4h10'],
  check: ['M5 12.5l4.5 4.5L19 7.5'],
  menu: ['M4 6h16', 'M4 12h16', 'M4 18h16'],
  retry: ['M19 12a7 7 0 1 1-2.200-5.100', 'M19 4v4h-4'],
  clip: [
    'M19 11.500l-7.500 7.500a4.500 4.500 0 0 1-6.400-6.400l8-8a3 3 0 0 1 4.300 4.300l-7.800 7.800a1.500 1.500 0 0 1-2.100-2.100l6.800-6.800',
  ],
  camera: ['M4 8h3l2-3h6l2 3h3v11H4z', 'M12 10a3.500 3.500 0 1 1 0 7a3.500 3.500 0 1 1 0-7z'],
  microphone: [
    'M12 4a2.500 2.500 0 0 1 2.500 2.500v5a2.500 2.500 0 0 1-5 0v-5A2.500 2.500 0 0 1 12 4z',
    'M6.500 11a5.500 5.500 0 0 0 11 0',
    'M12 16.500V20',
  ],
  file: ['M6 4h8l4 4v12H6z', 'M14 4v4h4'],
  play: ['M8 5l11 7-11 7z'],
  fork: ['M7 4v16', 'M7 13c6 0 10-2 10-7', 'M14 8.500l3-3 3 3'],
  bell: ['M6 16V11a6 6 0 0 1 12 0v5l1.500 2h-15z', 'M10 20.500h4'],
  more: [
    'M5 11.300a.7.7 0 1 1 0 1.400a.7.7 0 1 1 0-1.400z',
    'M12 11.300a.7.7 0 1 1 0 1.400a.7.7 0 1 1 0-1.400z',
    'M19 11.300a.7.7 0 1 1 0 1.400a.7.7 0 1 1 0-1.400z',
  ],
} as const;

export type IconName = keyof typeof drawings;

/** A line drawing beside words, or inside a button that has a name of its own. */
export function Icon(props: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width={props.size ?? 18}
      height={props.size ?? 18}
      aria-hidden="true"
    >
      <For each={drawings[props.name]}>{(path) => <path d={path} />}</For>
    </svg>
  );
}
