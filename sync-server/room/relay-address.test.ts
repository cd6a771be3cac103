import { expect, test } from 'vitest';
import { systemDocuments } from '../../tests/support/system-doc.ts';
import { Control } from './control.ts';
import { configuredAddresses, isBelow, isOfTheCloud, parseAddress } from './relay-address.ts';

test.each([
  ['https://api.example/v1', 'https://api.example/v1', true],
  ['https://api.example/v1', 'https://api.example/v1/chat/completions?stream=1', true],
  ['https://api.example/v1/', 'https://api.example/v1/models', true],
  ['https://api.example', 'https://api.example/anything', true],
  ['https://api.example/v1', 'https://api.example/v10', false],
  ['https://api.example/v1', 'https://api.example/', false],
  ['https://api.example/v1', 'https://api.example:444/v1', false],
  ['https://api.example/v1', 'http://api.example/v1', false],
  ['https://api.example/v1', 'https://api.example.evil/v1', false],
  ['https://api.example/v1', 'https://api.example/v1/..%2Fadmin', false],
  ['https://api.example/v1', 'https://api.example/v1/%252e%2e/admin', false],
])('[R41] below %s, %s: %s', (address, target, below) => {
  expect(isBelow(new URL(target), [new URL(address)])).toBe(below);
});

test.each(['ftp://x', 'file:///x', 'https://me:pw@x/', 'javascript:alert(1)', 'x', ''])(
  '[R41] %j is no address',
  (text) => {
    expect(parseAddress(text)).toBeUndefined();
  },
);

test.each([
  ['http://169.254.169.254/latest', true],
  ['http://2852039166/', true],
  ['http://0xa9.254.0251.254/', true],
  ['http://[::ffff:169.254.169.254]/', true],
  ['http://[fe80::1]/', true],
  ['http://[fd00:ec2::254]/', true],
  ['http://192.168.1.5:11434/', false],
  ['http://169.254.example/', false],
  ['http://[fd00::5]/', false],
  ['http://localhost:11434/', false],
])('[R205] %s is where clouds tell secrets: %s', (address, refused) => {
  expect(isOfTheCloud(new URL(address))).toBe(refused);
});

test('[R41] a provider stands for its own address; the keys of others do not count', () => {
  const { tables, control: doc } = systemDocuments();
  tables.config.put('users/1000/ai/provider', { value: 'Anthropic' });
  tables.config.put('users/10001/ai/base_url', { value: 'https://other.example' });
  tables.config.put('config/ai/provider', { value: 'constructor' });
  tables.config.put('users/1000/ai/model', { value: 'https://model.example' });
  const control = new Control(doc);
  expect(configuredAddresses(control, 1000).map(String)).toEqual(['https://api.anthropic.com/']);
  expect(configuredAddresses(control, 0).map(String)).toEqual([
    'https://api.anthropic.com/',
    'https://other.example/',
  ]);
});
