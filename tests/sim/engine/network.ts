import type { Frame } from '../../../shared/protocol/frames.ts';
import { limits } from '../../../shared/protocol/limits.ts';
import type { Link, LinkEvents } from '../../../shared/protocol/link.ts';
import type { Dice } from './dice.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

/** A place in the network; its programs come and go. */
export type Station = { readonly name: string; cutOff: boolean };

type Item =
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  /** Nobody learns of an end before `notBefore`: until then the other end stands half-open. */
  | { kind: 'close'; reason: string; notBefore: number };

/** Looks at each frame that is sent, as text; may send another instead, or null to lose it. */
export type Tap = (text: string, from: Station, to: Station) => string | null;

/** What waits between two ends, in one direction. */
export type Lane = {
  readonly from: WireEnd;
  readonly to: WireEnd;
  readonly waiting: Item[];
  /** Whatever is sent from now on goes nowhere. */
  severed: boolean;
};

/** How long the end of a connection may stay unknown to the other side. */
const UNNOTICED_MS = 90_000;

/** One end of a connection. Frames travel as JSON text or as copied bytes, in order, when the scheduler delivers them. */
export class WireEnd implements Link {
  readonly inlineBytes = limits.inlineBytes;
  readonly station: Station;
  readonly life: Life;
  readonly #onSend: (end: WireEnd, item: Item) => void;
  open = true;
  /** Whether the other end has said anything. */
  heard = false;
  #events: LinkEvents | null = null;

  constructor(station: Station, life: Life, onSend: (end: WireEnd, item: Item) => void) {
    this.station = station;
    this.life = life;
    this.#onSend = onSend;
  }

  listen(events: LinkEvents): void {
    this.#events = events;
  }

  send(message: Frame | Uint8Array): void {
    if (!this.open || this.life.over) return;
    if (message instanceof Uint8Array) this.#onSend(this, { kind: 'bytes', bytes: message.slice() });
    else this.#onSend(this, { kind: 'text', text: JSON.stringify(message) });
    this.life.pass();
  }

  close(_code: number, reason: string): void {
    if (!this.open || this.life.over) return;
    this.#onSend(this, { kind: 'close', reason, notBefore: 0 });
    this.lost(reason);
  }

  receive(message: string | Uint8Array): void {
    if (!this.open) return;
    this.heard = true;
    this.#events?.message(message);
  }

  lost(reason: string): void {
    if (!this.open) return;
    this.open = false;
    this.#events?.closed(reason);
  }
}

/** All connections. Nothing moves but by `deliver`. */
export class Network {
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  #lanes: Lane[] = [];
  tap: Tap = (text) => text;
  log: (line: string) => void = () => {};

  constructor(timeline: Timeline, dice: Dice) {
    this.#timeline = timeline;
    this.#dice = dice;
  }

  /** A connection between two programs that are both running. */
  connect(near: [Station, Life], far: [Station, Life]): [WireEnd, WireEnd] {
    const send = (end: WireEnd, item: Item): void => {
      const lane = this.#laneFrom(end);
      const sent = lane && item.kind === 'text' ? this.#tapped(item, lane) : item;
      if (sent && lane && !lane.severed) lane.waiting.push(sent);
    };
    const [a, b] = [new WireEnd(...near, send), new WireEnd(...far, send)];
    this.#lanes.push({ from: a, to: b, waiting: [], severed: false });
    this.#lanes.push({ from: b, to: a, waiting: [], severed: false });
    for (const end of [a, b]) end.life.onEnd(() => this.#died(end));
    return [a, b];
  }

  /** Lanes whose next frame may arrive now. */
  ready(): Lane[] {
    this.#lanes = this.#lanes.filter(({ from, to, waiting }) => to.open || from.open || waiting.length > 0);
    return this.#lanes.filter((lane) => this.#isReady(lane));
  }

  /** When an end that nobody knows of yet may become known; undefined when there is none. */
  get nextNotice(): number | undefined {
    let next: number | undefined;
    for (const { waiting } of this.#lanes) {
      const [item] = waiting;
      if (item?.kind !== 'close' || item.notBefore <= this.#timeline.now) continue;
      if (next === undefined || item.notBefore < next) next = item.notBefore;
    }
    return next;
  }

  /** Hands over the next frame of a lane that is ready. What it sets off must settle before the next. */
  deliver(lane: Lane): void {
    const item = this.#isReady(lane) ? lane.waiting.shift() : undefined;
    if (item) this.#arrive(lane, item);
  }

  /** Connections that a station has, seen from it. */
  endsOf(station: Station): WireEnd[] {
    return this.#lanes.flatMap(({ from }) => (from.station === station && from.open ? [from] : []));
  }

  /** Ends a connection: what is under way is lost, this end learns now or later, the other in its own time. */
  cut(end: WireEnd): void {
    const lanes = this.#lanes.filter(({ from, to }) => from === end || to === end);
    this.log(`cut ${end.station.name}`);
    for (const lane of lanes) {
      lane.waiting.splice(this.#dice.below(lane.waiting.length + 1));
      this.#endLane(lane, this.#dice.chance(0.5) ? 0 : this.#dice.below(UNNOTICED_MS));
    }
  }

  /** Lets everything that is still unknown become known. */
  noticeAll(): void {
    for (const { waiting } of this.#lanes) {
      for (const item of waiting) if (item.kind === 'close') item.notBefore = 0;
    }
  }

  /** What broke stays broken: one that is cut again, and lost what was under way, still ends for whoever listens. */
  #endLane(lane: Lane, inMs: number): void {
    const notBefore = this.#timeline.now + inMs;
    const known = lane.waiting.some(({ kind }) => kind === 'close');
    if (!known) lane.waiting.push({ kind: 'close', reason: 'the network broke', notBefore });
    lane.severed = true;
  }

  #died(end: WireEnd): void {
    if (!end.open) return;
    end.open = false;
    for (const lane of this.#lanes) {
      if (lane.to === end) lane.waiting.splice(0);
      if (lane.from !== end) continue;
      if (this.#dice.chance(0.5)) lane.waiting.splice(this.#dice.below(lane.waiting.length + 1));
      this.#endLane(lane, this.#dice.chance(0.5) ? 0 : this.#dice.below(UNNOTICED_MS));
    }
  }

  #laneFrom(end: WireEnd): Lane | undefined {
    return this.#lanes.find(({ from }) => from === end);
  }

  #isReady({ from, to, waiting }: Lane): boolean {
    const [item] = waiting;
    if (!item || to.life.frozen) return false;
    if (item.kind === 'close' && item.notBefore > this.#timeline.now) return false;
    return item.kind === 'close' || !(from.station.cutOff || to.station.cutOff);
  }

  #arrive({ from, to }: Lane, item: Item): void {
    if (!to.open || to.life.over) return;
    const way = `${from.station.name}>${to.station.name}`;
    if (item.kind === 'close') {
      this.log(`${way} closed: ${item.reason}`);
      to.lost(item.reason);
    } else if (item.kind === 'bytes') {
      this.log(`${way} ${item.bytes.length} bytes on ${new DataView(item.bytes.buffer).getUint32(0)}`);
      to.receive(item.bytes);
    } else {
      this.log(`${way} ${item.text}`);
      to.receive(item.text);
    }
  }

  #tapped(item: Item & { kind: 'text' }, { from, to }: Lane): Item | null {
    const text = this.tap(item.text, from.station, to.station);
    return text === null ? null : { kind: 'text', text };
  }
}
