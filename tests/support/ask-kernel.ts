import type { Page } from 'playwright-core';
import { PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { rememberKernel } from './kernel-attack.ts';

/** What a kernel answered: its data, or the code and words of its refusal. */
export type Answer<Data> = { data: Data } | { code: number; message: string };

type Asked = { call: string; args: unknown; timeoutMs: number; protocol: number };

/** Lets `askKernel` reach the kernel of a page; before the page is opened. */
export async function letAsk(page: Page): Promise<void> {
  await page.addInitScript(rememberKernel);
}

/** Makes a call as the person who is signed in, over a way to the kernel of its own, past everything that the page checks. */
export function askKernel<Name extends SyscallName>(
  page: Page,
  call: Name,
  args: Args<Name>,
): Promise<Answer<Result<Name>>> {
  const asked: Asked = { call, args, timeoutMs: 20_000, protocol: PROTOCOL_VERSION };
  return page.evaluate(ask, asked) as Promise<Answer<Result<Name>>>;
}

/** In the page. */
async function ask({ call, args, timeoutMs, protocol }: Asked): Promise<unknown> {
  type Message = {
    type?: string;
    id?: string;
    ok?: boolean;
    data?: unknown;
    error?: { code: number; message: string };
  };
  const { kernelScript } = window as unknown as {
    kernelScript: { url: string | URL; options: string | WorkerOptions | undefined };
  };
  const { port } = new SharedWorker(kernelScript.url, kernelScript.options);
  const tab = crypto.randomUUID();
  let leave = (): void => {};
  void navigator.locks.request(tab, () => new Promise<void>((resolve) => (leave = resolve)));
  const heard = (wanted: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`${call} was not answered`)), timeoutMs);
      port.onmessage = ({ data }: { data: Message }) => {
        if (wanted(data)) resolve(data);
      };
    });
  const request = async (id: string, name: string, given: unknown): Promise<Message> => {
    const answer = heard((message) => message.type === 'res' && message.id === id);
    port.postMessage({ type: 'req', id, call: name, args: given, ttl: timeoutMs });
    return answer;
  };
  try {
    const welcome = heard(({ type }) => type === 'welcome');
    port.postMessage({ type: 'hello', tab, lock: tab });
    await welcome;
    const { username, token } = JSON.parse(localStorage.getItem('gsv.session') ?? '{}');
    const client = { id: tab, version: '0', platform: 'test', role: 'user' };
    const connected = await request('1', 'sys.connect', {
      protocol,
      client,
      auth: { username, token },
    });
    const answer = connected.ok ? await request('2', call, args) : connected;
    return answer.ok ? { data: answer.data } : { code: answer.error?.code, message: answer.error?.message };
  } finally {
    leave();
    port.close();
  }
}
