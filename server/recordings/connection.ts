import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { endOwnRecording, type StopReason } from '../../domain/captures/recording.ts';
import { within } from '../runtime/timeouts.ts';
import { chunksOf } from './chunks.ts';
import { clientLeft, type Ending, endingFor, erased, replaced, restart, revoked, stopped } from './endings.ts';
import type { ServerFrame } from './frames.ts';
import type { Lease, Loss } from './lease-renewal.ts';
import type { Admission, ConnectionParts } from './parts.ts';
import { Receiver } from './receiver.ts';

/** A client that leaves this many bytes unread is cut off. */
const maxUnreadBytes = 256 * 1024;

/**
 * A connection that took over a recording and adds audio to it (docs/recording.md).
 *
 * Nothing acknowledged is lost or doubled, even if this process dies at any point. One connection writes, one chunk at
 * a time, each durable before it is acknowledged, and both only while its lease is certain. A connection that takes
 * over waits until the previous one has released the recording or its lease has run out, and only then lists the store:
 * so it sees all that was acknowledged before. If a process froze in the middle of a write, that one write may take
 * effect later. It was not acknowledged, so the client that resumes sends the same bytes as the same chunk. A client
 * that no longer has them begins a new part, whose first chunk has a key of its own; the late chunk is left out.
 */
export class Connection {
  readonly #socket: WebSocket;
  readonly #admission: Admission;
  readonly #parts: ConnectionParts;
  readonly #log: Logger;
  readonly #receiver: Receiver;
  readonly #lease: Lease;
  /** Resolves when the previous connection writes no more. */
  readonly #alone: Promise<void>;
  readonly #closed: Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  #state: 'opening' | 'open' | 'stopping' | 'ending' = 'opening';
  #isAlone = false;
  #isAlive = true;

  constructor(socket: WebSocket, admission: Admission, parts: ConnectionParts) {
    const { claim, claimedAt } = admission;
    const { previous } = claim;
    this.#socket = socket;
    this.#admission = admission;
    this.#parts = parts;
    this.#log = parts.log.child({ recordingId: claim.recordingId });
    this.#alone = previous ? parts.events.released(previous.holder, previous.forMs) : Promise.resolve();
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.#lease = parts.leases.hold(claim, claimedAt, {
      onStop: (reason) => void this.#end(stopped(reason)),
      onLoss: (loss, reason) => this.#onLoss(loss, reason),
    });
    this.#receiver = new Receiver(claim, this.#lease, parts, {
      onFrame: (frame) => this.#send(frame),
      onStop: (reason) => this.#stop(reason),
      onDone: () => this.#throttle(),
      onFault: (error) => this.#onFault(error),
    });
    this.#listen();
    this.#open().catch((error: unknown) => this.#onFault(error));
  }

  /** Resolves when it is closed and none of its writes is under way. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Pings the client; cuts it off when nothing came from it since the last heartbeat. */
  heartbeat(): void {
    // While the socket is paused, pongs are not read either.
    if (this.#socket.isPaused) return;
    if (this.#isAlive) this.#socket.ping();
    else this.#socket.terminate();
    this.#isAlive = false;
  }

  /** Writes what was received and sends the client to another process. */
  shutDown(): void {
    void this.#end(restart);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', () => {
      this.#isAlive = true;
    });
    socket.on('error', (error) => this.#log.debug({ err: error }, 'recording socket failed'));
    void this.#closed.then(() => this.#end(clientLeft));
    socket.pause();
  }

  async #open(): Promise<void> {
    const { claim, resumeToken } = this.#admission;
    const { store, limits } = this.#parts;
    await this.#alone;
    this.#isAlone = true;
    const { next, sizeBytes } = await chunksOf(store, claim);
    await this.#lease.held();
    if (this.#state !== 'opening') return;
    this.#receiver.begin(next, sizeBytes);
    this.#state = 'open';
    const { captureId, recordingId, maxSeconds: maxDurationSeconds } = claim;
    const { maxChunkBytes, window } = limits;
    const about = { captureId, recordingId, resumeToken, nextSequence: next };
    this.#send({ type: 'ready', ...about, maxDurationSeconds, maxChunkBytes, window });
    this.#socket.resume();
  }

  #send(frame: ServerFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(frame));
    if (this.#socket.bufferedAmount > maxUnreadBytes) this.#socket.terminate();
  }

  /** Reads no more than may be queued: the rest stays with the client. */
  #throttle(): void {
    if (this.#state === 'opening' || this.#state === 'ending') return;
    const { isFull } = this.#receiver;
    if (isFull && !this.#socket.isPaused) this.#socket.pause();
    if (!isFull && this.#socket.isPaused) this.#socket.resume();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (this.#state !== 'open') return;
    try {
      this.#receiver.receive(data, isBinary);
    } catch (error) {
      this.#onFault(error);
    }
    this.#throttle();
  }

  /** Ends the recording once everything that was received before is written. */
  #stop(reason: StopReason): void {
    const { db, leases } = this.#parts;
    const { claim } = this.#admission;
    this.#state = 'stopping';
    this.#receiver.afterWrites(async () => {
      await this.#lease.held();
      const wasRunning = await endOwnRecording({ db }, { ...claim, reason });
      if (wasRunning) void this.#end(stopped(reason));
      else leases.renewNow(claim.recordingId);
    });
  }

  #onLoss(loss: Loss, reason: StopReason | null): void {
    // What was received and is not written yet is no longer of use.
    if (loss !== 'replaced') this.#receiver.abandon();
    if (loss === 'replaced') void this.#end(replaced);
    else if (loss === 'revoked') void this.#end(revoked);
    else void this.#end(reason === null ? erased : stopped(reason));
  }

  #onFault(error: unknown): void {
    const ending = endingFor(error);
    if (ending.isOurs) this.#log.error({ err: error }, 'recording connection failed');
    void this.#end(ending);
  }

  /**
   * Writes what was received, releases the recording, sends the last frame and closes. If it is called again, the first
   * reason counts.
   */
  async #end(ending: Ending): Promise<void> {
    if (this.#state === 'ending') return;
    this.#state = 'ending';
    this.#socket.pause();
    await this.#receiver.idle();
    const wasAlone = this.#isAlone;
    if (wasAlone) await this.#release();
    const cut = this.#close(ending);
    // The next connection relies on the previous ones of this one, too.
    if (!wasAlone) await this.#alone.then(() => this.#release());
    await this.#closed;
    clearTimeout(cut);
    this.#over.resolve();
  }

  #close({ frame, code, reason = '' }: Ending): NodeJS.Timeout {
    if (frame) this.#send(frame);
    this.#socket.close(code, reason);
    this.#socket.resume();
    return setTimeout(() => this.#socket.terminate(), this.#parts.times.closeMs);
  }

  async #release(): Promise<void> {
    // Where a write may still take effect, only the end of the lease rules it out.
    if (this.#receiver.isUncertain) return this.#lease.drop();
    const released = within(this.#parts.times.closeMs / 1000, this.#lease.release());
    await released.catch((error: unknown) => this.#log.warn({ err: error }, 'recording lease not released'));
  }
}
