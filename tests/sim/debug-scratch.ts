import { Prepared } from './prepared.ts';
import { parseProgram } from './program/program.ts';
import { runProgram } from './run.ts';

export { Prepared, parseProgram, runProgram };
export async function dump(text: string): Promise<void> {
  const v = await runProgram(await Prepared.make(), parseProgram(text), {
    look: (p) => {
      for (const [pid, ms] of p.views[0]?.histories ?? []) {
        console.log(pid);
        for (const m of ms)
          console.log(
            '  ',
            m.id,
            Math.floor(m.id / 2 ** 20),
            Math.floor(m.id / 1024) % 1024,
            m.id % 1024,
            m.role,
            m.runId?.slice(0, 4),
            JSON.stringify(m.content).slice(0, 230),
          );
      }
      for (const { name, documents } of p.stored)
        for (const [doc, json] of documents)
          if (doc.endsWith('/state') || doc === 'work') console.log(name, doc, json.slice(0, 1800));
      console.log(
        p.stored[0]?.documents
          .get('system')
          ?.split('\n')
          .filter((l) => l.startsWith('"processes"'))
          .join(),
      );
    },
  });
  console.log(v.offences);
}
export { programOf, textOf } from './program/program.ts';
