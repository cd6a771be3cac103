import type { Browser, CDPSession } from 'playwright-core';

/** What the SharedWorker of a page has asked for and sent since it was watched. */
export type WorkerTraffic = {
  readonly requests: string[];
  /** Frames of its WebSockets, as they were handed over: text, or the bytes as latin1. */
  readonly frames: string[];
};

/** Watches what the one SharedWorker of a browser sends. Rejects when there is none. */
export async function watchSharedWorker(browser: Browser): Promise<WorkerTraffic> {
  const session = await browser.newBrowserCDPSession();
  const { targetInfos } = await session.send('Target.getTargets');
  const target = targetInfos.find(({ type }) => type === 'shared_worker');
  if (!target) throw new Error('No SharedWorker runs');
  const { targetId } = target;
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const traffic: WorkerTraffic = { requests: [], frames: [] };
  session.on('Target.receivedMessageFromTarget', ({ message }) => read(traffic, message));
  await enable(session, sessionId);
  return traffic;
}

function enable(session: CDPSession, sessionId: string): Promise<unknown> {
  const message = JSON.stringify({ id: 1, method: 'Network.enable', params: {} });
  return session.send('Target.sendMessageToTarget', { sessionId, message });
}

/** The parts of the protocol's messages that are read here. */
type Told = {
  method?: string;
  params?: { request?: { url: string }; response?: { opcode: number; payloadData: string } };
};
const BINARY = 2;

function read(traffic: WorkerTraffic, message: string): void {
  const { method, params } = JSON.parse(message) as Told;
  if (method === 'Network.requestWillBeSent' && params?.request) traffic.requests.push(params.request.url);
  if (method !== 'Network.webSocketFrameSent' || !params?.response) return;
  const { opcode, payloadData } = params.response;
  traffic.frames.push(
    opcode === BINARY ? Buffer.from(payloadData, 'base64').toString('latin1') : payloadData,
  );
}
