import { type Accessor, createEffect, createSignal, on } from 'solid-js';
import type { Gsv } from '../../client/gsv.ts';
import { read, write } from '../parts/memory.ts';
import type { Notices } from '../parts/notices.ts';
import type { Status } from './status.ts';

const LATER = 'phrase.later';

/** Whether somebody whose server keeps a sealed GSV is asked to keep a recovery phrase: once, unless it was put off. */
export type PhraseOffer = { offered: Accessor<boolean>; later(): void };

export function createPhraseOffer(
  gsv: Gsv,
  status: Accessor<Status | undefined>,
  notices: Pick<Notices, 'list'>,
): PhraseOffer {
  const [lacking, setLacking] = createSignal(false);
  const [putOff, setPutOff] = createSignal(read(LATER) !== '');
  const online = (): boolean => status()?.link === 'online';
  const look = async (): Promise<void> => {
    const state = await gsv.call('sys.seal.get', {}).catch(() => null);
    setLacking(state?.sealed === true && state.phrase === 'none');
  };
  createEffect(
    on(online, (now) => {
      if (now && !putOff()) void look();
    }),
  );
  // One thing after another: it does not begin beside a notice.
  const [begun, setBegun] = createSignal(false);
  createEffect(() => {
    if (lacking() && notices.list.length === 0) setBegun(true);
  });
  const later = (): void => {
    write(LATER, 'yes');
    setPutOff(true);
  };
  return { offered: () => lacking() && begun() && !putOff(), later };
}
