import { describe, expect, test } from 'vitest';
import { serverAddress } from './address.ts';

describe('addresses', () => {
  test.each([
    ['http://localhost:1999', 'ws://localhost:1999/ws', false],
    ['http://localhost:1999/', 'ws://localhost:1999/ws', false],
    ['https://gsv.example/base/', 'wss://gsv.example/base/ws', false],
    ['ws://127.0.0.1:8080', 'ws://127.0.0.1:8080/ws', false],
    ['http://[::1]:1', 'ws://[::1]:1/ws', false],
    ['http://192.168.0.2:1999', 'ws://192.168.0.2:1999/ws', true],
  ])('[D40] %s leads to %s', (url, socketUrl, exposed) => {
    expect(serverAddress(url)).toMatchObject({ socketUrl, exposed });
  });

  test.each(['localhost:1999', 'ftp://x', 'nonsense', 'http://me:secret@x'])('[D40] %s is refused', (url) => {
    expect(() => serverAddress(url)).toThrow('--url');
  });
});
