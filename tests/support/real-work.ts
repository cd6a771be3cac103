import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { deferred } from '../../shared/std/deferred.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** How much the pool of threads is hashing and sealing for this program at the moment, and who waits for it. */
let going = 0;
let idle = deferred<void>();
/** What it packs and unpacks. */
const packing = new Set<Transform>();
let isCounted = false;

/** Counts, from now on, the work that takes real time whatever a test's clock says. */
export function countRealWork(): void {
  if (isCounted) return;
  isCounted = true;
  const subtle: object = Object.getPrototypeOf(crypto.subtle);
  for (const name of Object.getOwnPropertyNames(subtle)) {
    if (name !== 'constructor') replace(subtle, name, counted);
  }
  replace(ownerOf('_transform', createGzip()), '_transform', countedAsPacking);
}

/** Undefined when nothing of it goes on; otherwise resolves when it may be over. */
export function realWork(): Promise<void> | undefined {
  if (going > 0) return idle.promise;
  return isReading() || [...packing].some(goesOn) ? nextTurn() : undefined;
}

/** Files, among them those of modules that are loaded when they are needed. */
function isReading(): boolean {
  return process.getActiveResourcesInfo().includes('FSReqPromise');
}

/** Nothing is packed ahead of whoever reads it: they may be gone. */
function goesOn({ destroyed, readableLength, readableHighWaterMark }: Transform): boolean {
  return !destroyed && readableLength < readableHighWaterMark;
}

function counted(method: Method): Method {
  return function (...args) {
    const result = method.apply(this, args);
    going += 1;
    Promise.resolve(result).then(over, over);
    return result;
  };
}

function over(): void {
  going -= 1;
  if (going > 0) return;
  idle.resolve(undefined);
  idle = deferred();
}

/** Of a stream, which calls its last argument when it is done with a chunk. */
function countedAsPacking(method: Method): Method {
  return function (...args) {
    const stream = this as Transform;
    const done = args.pop() as Method;
    packing.add(stream);
    const end: Method = (...given) => {
      packing.delete(stream);
      return done.apply(undefined, given);
    };
    return method.call(stream, ...args, end);
  };
}

function replace(owner: object, name: string, by: (method: Method) => Method): void {
  const found = Object.getOwnPropertyDescriptor(owner, name);
  if (typeof found?.value === 'function')
    Object.defineProperty(owner, name, { ...found, value: by(found.value) });
}

/** The object from which another has a method. */
function ownerOf(name: string, from: object): object {
  for (let at: object | null = from; at; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, name)) return at;
  throw new Error(`nothing has ${name}`);
}
