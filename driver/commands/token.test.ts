import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { findToken } from './token.ts';

/** A terminal on which a person types; what is shown is kept. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void modes.push(on),
  });
  const output = new PassThrough();
  return { input, output, modes, shown: () => String(output.read() ?? '') };
}

describe('where the token comes from', () => {
  test('[D45] typed at a terminal it is not shown', async () => {
    const prompt = terminal();
    const token = findToken(undefined, {}, prompt);
    prompt.input.write('gsv_node_typox');
    prompt.input.write('\x7fe\r');
    expect(await token).toBe('gsv_node_typoe');
    expect(prompt.shown()).toBe('Token: \n');
    expect(prompt.modes).toEqual([true, false]);
  });

  test('[D45] from the environment it is taken out of it', async () => {
    const environment: NodeJS.ProcessEnv = { GSV_TOKEN: 'gsv_node_x', PATH: '/bin' };
    expect(await findToken(undefined, environment, terminal())).toBe('gsv_node_x');
    expect(environment).toEqual({ PATH: '/bin' });
  });

  test('[D45] Ctrl-C at the prompt, an empty token and one with spaces are refused', async () => {
    const prompt = terminal();
    const token = findToken(undefined, {}, prompt);
    prompt.input.write('gsv\x03');
    await expect(token).rejects.toThrow('Stopped');
    await expect(findToken(undefined, { GSV_TOKEN: ' ' }, terminal())).rejects.toThrow('empty or malformed');
    await expect(findToken(undefined, { GSV_TOKEN: 'a b' }, terminal())).rejects.toThrow('malformed');
  });
});
