import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { Installable, Shell } from '../../client/shell.ts';
import { read, write } from '../parts/memory.ts';

const LATER = 'install.later';

/** Installing GSV as an app of this device: how it can be done, and whether it is offered in passing. */
export type Installing = {
  way: Accessor<Installable>;
  /** Whether it is offered: after GSV has been of use, and never again once it was put off. */
  offered: Accessor<boolean>;
  /** GSV has answered its person. */
  useful(): void;
  later(): void;
  /** Asks the browser, which asks its person. */
  install(): Promise<void>;
};

export function createInstalling(shell: Shell): Installing {
  const [way, setWay] = createSignal<Installable>('no');
  const [used, setUsed] = createSignal(false);
  const [putOff, setPutOff] = createSignal(read(LATER) !== '');
  onCleanup(shell.onInstallable(setWay));
  const later = (): void => {
    write(LATER, 'yes');
    setPutOff(true);
  };
  return {
    way,
    offered: () => used() && !putOff() && (way() === 'ask' || way() === 'by hand'),
    useful: () => setUsed(true),
    later,
    install: async () => {
      if (!(await shell.install())) later();
    },
  };
}
