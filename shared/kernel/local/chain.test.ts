import { expect, test } from 'vitest';
import { fallbackReasons, localLink, privateLink } from './chain.ts';

const of = (settings: Record<string, string>) => (name: string) => settings[name];

test('[A118] the second link of a chain is a model of this device, and its reasons can be chosen', () => {
  expect(localLink(of({ 'ai/local': 'wllama/a/b' }))).toEqual({ provider: 'wllama', model: 'a/b' });
  expect(localLink(of({ 'ai/local': 'openai/gpt-5' }))).toBeUndefined();
  expect(localLink(of({ 'ai/local': 'wllama' }))).toBeUndefined();
  expect(localLink(of({}))).toBeUndefined();
  expect(fallbackReasons(of({}))).toEqual(['offline', 'budget']);
  expect(fallbackReasons(of({ 'ai/local_when': 'budget' }))).toEqual(['budget']);
  expect(fallbackReasons(of({ 'ai/local_when': '' }))).toEqual([]);
});

test('[A120] a conversation that stays here asks a model of this device or none', () => {
  const network = { provider: 'openai', model: 'gpt-5' };
  const here = { provider: 'wllama', model: 'x' };
  expect(privateLink(network, of({}))).toBeUndefined();
  expect(privateLink(network, of({ 'ai/local': 'wllama/x' }))).toEqual(here);
  expect(privateLink(here, of({ 'ai/local': 'wllama/y' }))).toEqual(here);
});
