import { expect, test } from 'vitest';
import {
  callEvent,
  delegateEvent,
  messageEvent,
  replyEvent,
  signalEvent,
  timeoutEvent,
} from '../../../shared/kernel/ipc/envelopes.ts';
import { eventPrefix } from '../../../shared/state/conversation-names.ts';
import { eventWords } from './event-words.ts';

const home = { pid: 'init:1000', label: 'Home' };
const boats = { pid: '23ce3949-b837-4797-90b8-3eb9ecc1ac3a', label: 'Count the “boats”: all' };
const nameless = { ...boats, label: null };
const call = {
  callId: 'bbf8856d-13be-4295-86ae-9f7b24bc766e',
  uid: 1,
  sourcePid: home.pid,
  sourceConversationId: 'default',
  pid: boats.pid,
  conversationId: 'default',
  messageId: 'm',
  kind: 'call' as const,
  startedAt: 0,
  deadlineAt: 60_000,
  by: 'r',
};
const words = (text: string) => eventWords(`${eventPrefix}${text}`);

test('[U130] what processes tell each other is told to a person without ids, in one line', () => {
  const delegated = { ...call, kind: 'delegate' as const };
  expect(words(replyEvent(call, nameless, { status: 'ok', text: 'There are 3.\n\nBlue.' }))).toEqual({
    line: 'process 23ce3949… answered',
    rest: 'There are 3.\n\nBlue.',
  });
  expect(words(replyEvent(delegated, { ...boats, label: 'Boats' }, { status: 'error', text: '' }))).toEqual({
    line: '“Boats” failed',
    rest: '',
  });
  expect(words(timeoutEvent(call, home)).line).toBe('“Home” has not answered within 60 s');
  expect(words(timeoutEvent(delegated, home)).line).toBe('“Home” was stopped after 60 s without a result');
  expect(words(messageEvent(home, { message: 'hi' }))).toEqual({ line: 'Message from “Home”', rest: 'hi' });
  expect(words(callEvent(home, call.callId, 1, { message: 'hi' })).line).toBe(
    '“Home” asks, and gets the last answer',
  );
  expect(words(delegateEvent(home, call.callId, 1, 'dig'))).toEqual({
    line: 'Task from “Home”; the last answer is the report',
    rest: 'dig',
  });
  const watched = { payload: {}, key: null, state: undefined };
  expect(words(signalEvent({ ...watched, signal: 'device.status', process: undefined })).line).toBe(
    'Signal device.status',
  );
  expect(words(signalEvent({ ...watched, signal: 'proc.run.finished', process: home })).line).toBe(
    '“Home”: proc.run.finished',
  );
  expect(words('something else\nmore')).toEqual({ line: 'something else', rest: 'more' });
});
