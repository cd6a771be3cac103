import type { JSX } from 'solid-js';
import { usePage } from '../../context.ts';
import type { LiveReplica } from '../../live/replicas.ts';
import { showHidden } from '../../parts/machine-text.ts';
import { InlineEdit } from './inline-edit.tsx';

/** What a browser is called; it can be changed where it stands. */
export function BrowserName(props: { row: LiveReplica; fixed?: boolean }): JSX.Element {
  const { gsv, notices } = usePage();
  const name = (): string => showHidden(props.row.name);
  const rename = (text: string): Promise<unknown> =>
    notices.attempt('The name was not kept', () =>
      gsv.call('sys.replica.update', { replicaId: props.row.replicaId, name: text }),
    );
  return (
    <InlineEdit
      text={props.row.name}
      label={`Name of ${name()}`}
      edit={`Rename ${name()}`}
      word="Rename"
      maxLength={100}
      required
      fixed={props.fixed}
      onSave={rename}
    >
      <span class="row-title">{name()}</span>
    </InlineEdit>
  );
}
