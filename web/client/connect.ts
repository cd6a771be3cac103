import { SyscallError } from '../../shared/protocol/errors.ts';
import type { SignalFrame } from '../../shared/protocol/frames.ts';
import type { Peer } from '../../shared/protocol/peer.ts';
import type { ByteStream } from '../../shared/protocol/streams.ts';
import { GSV_VERSION, PROTOCOL_VERSION } from '../../shared/protocol/version.ts';
import type { Args, Result, SyscallName } from '../../shared/syscalls/table.ts';
import { describePlatform } from '../kernel-host/platform.ts';
import { KernelAttachment } from './attachment.ts';
import type { Attachment, CallOptions, Gsv, SignalListener, ViewArgs } from './gsv.ts';
import { chooseKernelHost } from './kernel-host.ts';
import { lendToKernel } from './lending.ts';
import { readSession, writeSession } from './session.ts';
import { type OnRows, Watches } from './watches.ts';

/** A newcomer fetches all that it needs to begin. */
const JOIN_MS = 5 * 60_000;

/** Attaches this tab to the kernel of its browser. `outdated` is called when that is of a newer version than the tab. */
export function connectGsv(outdated: () => void = () => location.reload()): Gsv {
  return new Client(outdated);
}

class Client implements Gsv {
  readonly #watches = new Watches();
  readonly #signals = new Set<SignalListener>();
  readonly #attachments = new Set<(attachment: Attachment, reason: string) => void>();
  #state: { attachment: Attachment; reason: string } = { attachment: 'attaching', reason: '' };
  #signedIn: Peer | null = null;
  readonly #kernel: KernelAttachment;

  constructor(outdated: () => void) {
    const host = chooseKernelHost();
    this.#kernel = new KernelAttachment(host, {
      attached: (peer) => this.#onAttached(peer),
      signal: (frame) => this.#onSignal(frame),
      changed: (attachment, reason) => {
        this.#state = { attachment, reason };
        for (const listener of this.#attachments) listener(attachment, reason);
      },
      outdated,
    });
    lendToKernel(host);
  }

  async call<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    options: CallOptions = {},
  ): Promise<Result<Name>> {
    const { result, bytes } = await this.open(name, args, options);
    void bytes?.cancel().catch(() => {});
    return result;
  }

  async open<Name extends SyscallName>(
    name: Name,
    args: Args<Name>,
    { bytes, ...options }: CallOptions = {},
  ): Promise<{ result: Result<Name>; bytes: ByteStream | undefined }> {
    const peer = await this.#kernel.peer;
    const { data, stream } = await peer.call(name, args, bytes ? { ...options, stream: bytes } : options);
    return { result: data as Result<Name>, bytes: stream };
  }

  async signIn(username: string, password: string): Promise<void> {
    const peer = await this.#kernel.peer;
    await this.#connect(peer, { username, password });
    const label = describePlatform(navigator.userAgent);
    const { token } = await this.call('sys.token.create', { kind: 'user', label: `Signed in: ${label}` });
    writeSession({ username, token: token.token, tokenId: token.tokenId });
  }

  async signOut(): Promise<void> {
    const session = readSession();
    writeSession(null);
    // Revoking closes this connection, so its answer may not arrive.
    if (session) await this.call('sys.token.revoke', { tokenId: session.tokenId }).catch(() => {});
    location.reload();
  }

  unlock(password: string): Promise<void> {
    return this.#kernel.unlock({ password });
  }

  async removeLocked(): Promise<void> {
    // The kernel ends with what it removes, and so cannot let anybody in.
    await this.#kernel.unlock({ remove: true }).catch(() => {});
    writeSession(null);
  }

  async setup(args: Args<'sys.setup'>): Promise<Result<'sys.setup'>> {
    const result = await this.call('sys.setup', args);
    await this.signIn(args.username, args.password);
    return result;
  }

  async acceptInvite(secret: string, onProgress: (text: string) => void): Promise<void> {
    const { session } = await this.call('sys.join', { secret }, { timeoutMs: JOIN_MS, onProgress });
    if (!session) throw new SyscallError(409, 'This browser already holds a GSV');
    writeSession(session);
    await this.#connect(await this.#kernel.peer, { username: session.username, token: session.token });
  }

  async session(): Promise<'setup' | 'signed-out' | 'signed-in'> {
    const peer = await this.#kernel.peer;
    if (this.#signedIn === peer) return 'signed-in';
    const status = await this.call('sys.status', {});
    return status.setupMode ? 'setup' : 'signed-out';
  }

  onSignal(listener: SignalListener): () => void {
    this.#signals.add(listener);
    return () => this.#signals.delete(listener);
  }

  watch(args: ViewArgs, onRows: OnRows): () => void {
    return this.#watches.add(args, onRows);
  }

  onAttachment(listener: (attachment: Attachment, reason: string) => void): () => void {
    this.#attachments.add(listener);
    listener(this.#state.attachment, this.#state.reason);
    return () => this.#attachments.delete(listener);
  }

  async #onAttached(peer: Peer): Promise<void> {
    const session = readSession();
    if (!session) return;
    try {
      await this.#connect(peer, { username: session.username, token: session.token });
    } catch (thrown) {
      // Revoked, or another GSV stands here now: the person signs in again. Anything else is tried again.
      if (!(thrown instanceof SyscallError) || ![401, 425].includes(thrown.code)) throw thrown;
      writeSession(null);
    }
  }

  async #connect(peer: Peer, auth: NonNullable<Args<'sys.connect'>['auth']>): Promise<void> {
    const client = {
      id: crypto.randomUUID(),
      version: GSV_VERSION,
      platform: describePlatform(navigator.userAgent),
      role: 'user' as const,
    };
    await peer.call('sys.connect', { protocol: PROTOCOL_VERSION, client, auth });
    this.#signedIn = peer;
    this.#watches.reopen(peer);
  }

  #onSignal({ signal, payload }: SignalFrame): void {
    if (signal === 'view.patch') {
      this.#watches.patch(payload);
      return;
    }
    const details =
      typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : {};
    for (const listener of this.#signals) listener(signal, details);
  }
}
