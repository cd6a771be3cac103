import { expect, test } from 'vitest';
import { readCall } from './read-call.ts';
import { readNearJson } from './repair-json.ts';

const call = { name: 'Read', arguments: { path: 'a.txt', target: 'gsv' } };

test.each([
  ['as asked', '{"tool":"Read","arguments":{"path":"a.txt","target":"gsv"}}'],
  ['in a fence', '```json\n{"tool":"Read","arguments":{"path":"a.txt","target":"gsv"}}\n```'],
  ['in tags', '<tool_call>\n{"name":"Read","arguments":{"path":"a.txt","target":"gsv"}}\n</tool_call>'],
  ['another case', '{"tool":"read","arguments":{"path":"a.txt","target":"gsv"}}'],
  ['other names', '{"function":"Read","parameters":{"path":"a.txt","target":"gsv"}}'],
  ['nested', '{"function":{"name":"Read","arguments":"{\\"path\\":\\"a.txt\\",\\"target\\":\\"gsv\\"}"}}'],
  ['flat', '{"tool":"Read","path":"a.txt","target":"gsv"}'],
  ['by its key', '{"Read":{"path":"a.txt","target":"gsv"}}'],
  ['a comma too many', '{"tool":"Read","arguments":{"path":"a.txt","target":"gsv",},}'],
  ['brackets forgotten', '{"tool":"Read","arguments":{"path":"a.txt","target":"gsv"'],
  ['single quotes', "{'tool': 'Read', 'arguments': {'path': 'a.txt', 'target': 'gsv'}}"],
  ['words after it', '{"tool":"Read","arguments":{"path":"a.txt","target":"gsv"}} I read it now.'],
])('[A102] a near-valid call is mended: %s', (_name, text) => {
  expect(readCall(text, ['Write', 'Read'])).toEqual(call);
});

test.each([
  ['prose', 'I would use Read here.'],
  ['an unknown tool', '{"tool":"Format","arguments":{"disk":"c"}}'],
  ['words around a brace', 'Use {"tool":"Read","arguments":{}} to read.'],
  ['an empty object', '{}'],
  ['a list', '[1]'],
])('[A102] what means no call stays what it is: %s', (_name, text) => {
  expect(readCall(text, ['Write', 'Read'])).toBeUndefined();
});

test('[A102] line breaks inside strings and an unfinished key are mended', () => {
  expect(readNearJson('{"a":"x\ny","b":')).toEqual({ a: 'x\ny', b: null });
  expect(readNearJson('no object')).toBeUndefined();
});
