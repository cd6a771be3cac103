import * as Y from 'yjs';
import { Documents } from '../../../shared/kernel/documents.ts';
import { Conversation } from '../../../shared/kernel/proc/conversation.ts';
import { MessageLog } from '../../../shared/kernel/proc/message-log.ts';
import { checkFrame } from '../../../shared/protocol/frames.ts';
import { systemClock } from '../../../web/kernel-host/platform.ts';
import { openDatabase } from '../../../web/kernel-host/storage/database.ts';
import { DexieDocs } from '../../../web/kernel-host/storage/dexie-docs.ts';

Object.assign(globalThis, {
  probe: async (pid: string) => {
    const store = new DexieDocs(openDatabase(), systemClock);
    const out: Record<string, number> = {};
    let t = performance.now();
    const mark = (n: string) => {
      out[n] = Math.round((performance.now() - t) * 100) / 100;
      t = performance.now();
    };
    await store.load('system');
    mark('db open+system');
    const pre = `conv/${pid}/default/`;
    await store.load(pre + 'state');
    mark('state');
    const last = await store.lastName(pre + 'g0/');
    mark('lastName');
    const { updates } = await store.load(last!);
    mark('load segment');
    out.updates = updates.length;
    const doc = new Y.Doc();
    Y.transact(doc, () => {
      for (const u of updates) Y.applyUpdate(doc, u);
    });
    mark('apply');
    const log = await MessageLog.open(new Documents(store), pre, 0, 1);
    mark('whole log open');
    const rows = await log.slice(Math.max(0, log.count - 200), 200);
    mark('slice');
    out.rows = rows.length;
    const c = await Conversation.open(new Documents(store), pid, 'default');
    mark('whole conv open');
    const frame = {
      type: 'res',
      id: 'x',
      ok: true,
      data: { viewId: 'v', total: 5, rows: rows.map((r) => ({ key: String(r.id), value: { ...r } })) },
    };
    checkFrame(frame);
    mark('checkFrame');
    structuredClone(frame);
    mark('clone');
    await store.close();
    return JSON.stringify(out);
  },
});
