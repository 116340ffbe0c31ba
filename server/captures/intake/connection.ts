import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { endOwnRecording, type StopReason, type World } from '../../../routers/captures/recording.ts';
import { within } from '../../patience.ts';
import { type Chunk, type ChunkStore, type ChunkWriter, chunksOf, createChunkWriter } from './chunks.ts';
import { type Claim, keepFormat } from './claims.ts';
import { type Ending, endingFor, erased, gone, replaced, restart, stopped } from './endings.ts';
import { admit, agree, type Reception, readChunk, readText, type ServerFrame } from './frames.ts';
import { createInOrder, type InOrder } from './in-order.ts';
import type { Keeper, Lease, Loss } from './keeper.ts';
import type { Moment } from './moment.ts';
import type { News } from './news.ts';
import { type IntakeLimits, type IntakeTimes, mostChunks } from './times.ts';

export interface ConnectionParts extends World {
  store: ChunkStore;
  keeper: Keeper;
  news: News;
  log: Logger;
  times: IntakeTimes;
  limits: IntakeLimits;
  /** Audio that waits to be written, of all connections of this process. */
  held: { bytes: number };
  /** So many bytes of audio were made durable. */
  onWritten(bytes: number): void;
}

/** The right of a client to be connected to its recording. */
export interface Admission {
  claim: Claim;
  resumeToken: string;
  /** Before the claim was made. */
  since: Moment;
}

/** A client that leaves so many bytes of ours unread is gone, or means harm. */
const mostUnread = 256 * 1024;

/**
 * A connection that took over a recording and adds audio to it (docs/recording.md).
 *
 * Nothing acknowledged is lost or doubled, whatever becomes of this process. One connection writes, one chunk at a time,
 * each durable before it is acknowledged, and both only while it is certain to hold the recording. One that takes over
 * waits until the one before has let go, or its lease has run out, and only then asks the store what there is: so it
 * sees all that was acknowledged before. Of a process that froze in the middle of a write, that one write may take
 * effect later. It was not acknowledged, so the client that resumes sends the same bytes as the same chunk. A client
 * that no longer has them begins a new part, whose first chunk has a key of its own; the late one is left out.
 */
export class Connection {
  readonly #socket: WebSocket;
  readonly #admission: Admission;
  readonly #parts: ConnectionParts;
  readonly #log: Logger;
  readonly #reception: Reception;
  readonly #writer: ChunkWriter;
  readonly #queue: InOrder;
  readonly #lease: Lease;
  /** Resolves when the connection before this one writes no more. */
  readonly #alone: Promise<void>;
  readonly #closed: Promise<void>;
  readonly #over = Promise.withResolvers<void>();
  #state: 'opening' | 'open' | 'stopping' | 'ending' = 'opening';
  /** Chunks below it are durable. */
  #durable = 0;
  /** Of the whole recording, with what waits. */
  #sizeBytes = 0;
  #isAlone = false;
  #isAlive = true;

  constructor(socket: WebSocket, admission: Admission, parts: ConnectionParts) {
    const { claim, since } = admission;
    const { before } = claim;
    this.#socket = socket;
    this.#admission = admission;
    this.#parts = parts;
    this.#log = parts.log.child({ recordingId: claim.recordingId });
    this.#reception = { mediaType: claim.mediaType, next: 0 };
    this.#writer = createChunkWriter(parts.store, claim, parts.times);
    this.#alone = before ? parts.news.letGo(before.holder, before.forMs) : Promise.resolve();
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.#queue = createInOrder({
      onDone: () => this.#throttle(),
      onFault: (error) => this.#onFault(error),
      onBytes: (change) => {
        parts.held.bytes += change;
      },
    });
    this.#lease = parts.keeper.hold(claim, since, {
      onStop: (reason) => void this.#end(stopped(reason)),
      onLoss: (loss, reason) => this.#onLoss(loss, reason),
    });
    this.#listen();
    this.#open().catch((error: unknown) => this.#onFault(error));
  }

  /** Resolves when it is closed and nothing of it is under way. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Cuts it off when the client did not show since the last time that it lives. */
  beat(): void {
    // While nothing is read, signs of life are not either.
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
    socket.on('message', (data, isBinary) => this.#hear(data, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('ping', () => {
      this.#isAlive = true;
    });
    socket.on('error', (error) => this.#log.debug({ err: error }, 'the socket of a recording failed'));
    void this.#closed.then(() => this.#end(gone));
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
    this.#lease.begin(next, sizeBytes);
    this.#durable = next;
    this.#reception.next = next;
    this.#sizeBytes = sizeBytes;
    this.#state = 'open';
    const { captureId, recordingId, maxSeconds: maxDurationSeconds } = claim;
    const { chunkBytes: maxChunkBytes, window } = limits;
    const about = { captureId, recordingId, resumeToken, nextSequence: next };
    this.#say({ type: 'ready', ...about, maxDurationSeconds, maxChunkBytes, window });
    this.#socket.resume();
  }

  #say(frame: ServerFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(frame));
    if (this.#socket.bufferedAmount > mostUnread) this.#socket.terminate();
  }

  /** Reads no more than may wait: the rest stays with the client. Where the process holds too much, one chunk may. */
  #throttle(): void {
    if (this.#state === 'opening' || this.#state === 'ending') return;
    const { limits, held } = this.#parts;
    const { works, bytes } = this.#queue;
    const isTight = works > 0 && held.bytes >= limits.processBytes;
    const isFull = works >= limits.window || bytes >= limits.heldBytes || isTight;
    if (isFull && !this.#socket.isPaused) this.#socket.pause();
    if (!isFull && this.#socket.isPaused) this.#socket.resume();
  }

  #hear(data: RawData, isBinary: boolean): void {
    this.#isAlive = true;
    if (this.#state !== 'open') return;
    try {
      if (isBinary) this.#takeChunk(data as Buffer);
      else this.#takeText(data as Buffer);
    } catch (error) {
      this.#onFault(error);
    }
    this.#throttle();
  }

  #takeText(data: Buffer): void {
    const frame = readText(data);
    if (frame.type === 'ping') this.#say({ type: 'pong' });
    if (frame.type === 'stop') this.#stop('stopped');
    if (frame.type === 'format' && agree(this.#reception, frame.mediaType))
      this.#queue.add(0, () => keepFormat(this.#parts.db, this.#admission.claim, frame.mediaType));
  }

  #takeChunk(data: Buffer): void {
    const chunk = readChunk(data);
    const { recordingBytes } = this.#parts.limits;
    const chunks = mostChunks(this.#admission.claim.maxSeconds);
    if (!admit(this.#reception, chunk)) {
      if (chunk.sequence < this.#durable) this.#say({ type: 'ack', sequence: this.#durable - 1 });
    } else if (this.#sizeBytes + chunk.audio.length > recordingBytes || chunk.sequence >= chunks) {
      this.#stop('max_size');
    } else this.#add(chunk);
  }

  #add(chunk: Chunk): void {
    const { sequence, audio } = chunk;
    this.#sizeBytes += audio.length;
    this.#queue.add(audio.length, async () => {
      await this.#lease.held();
      await this.#writer.write(chunk);
      await this.#lease.held();
      this.#durable = sequence + 1;
      this.#lease.wrote(audio.length);
      this.#parts.onWritten(audio.length);
      this.#say({ type: 'ack', sequence });
    });
  }

  /** Ends the recording once everything that came before is written. */
  #stop(reason: StopReason): void {
    const { db, jobs, keeper } = this.#parts;
    const { claim } = this.#admission;
    this.#state = 'stopping';
    this.#queue.add(0, async () => {
      await this.#lease.held();
      const wasRunning = await endOwnRecording({ db, jobs }, claim, reason);
      if (wasRunning) void this.#end(stopped(reason));
      else keeper.look(claim.recordingId);
    });
  }

  #onLoss(loss: Loss, reason: StopReason | null): void {
    // What was received and is not written yet is of no use any more.
    if (loss !== 'replaced') this.#queue.abandon();
    void this.#end(loss === 'replaced' ? replaced : reason === null ? erased : stopped(reason));
  }

  #onFault(error: unknown): void {
    const ending = endingFor(error);
    if (ending.isOurs) this.#log.error({ err: error }, 'a recording could not go on');
    void this.#end(ending);
  }

  /** Writes what was received, lets go of the recording, tells the client and closes. The first ending counts. */
  async #end(ending: Ending): Promise<void> {
    if (this.#state === 'ending') return;
    this.#state = 'ending';
    this.#socket.pause();
    await this.#queue.idle();
    const wasAlone = this.#isAlone;
    if (wasAlone) await this.#release();
    const cut = this.#takeLeave(ending);
    // Whoever comes next may rely on the one before this one, too.
    if (!wasAlone) await this.#alone.then(() => this.#release());
    await this.#closed;
    clearTimeout(cut);
    this.#over.resolve();
  }

  #takeLeave({ frame, code, reason = '' }: Ending): NodeJS.Timeout {
    if (frame) this.#say(frame);
    this.#socket.close(code, reason);
    this.#socket.resume();
    return setTimeout(() => this.#socket.terminate(), this.#parts.times.goodbyeMs);
  }

  async #release(): Promise<void> {
    // Where a write may still take effect, the lease alone tells when that is over.
    if (this.#writer.isUncertain) return this.#lease.drop();
    const released = within(this.#parts.times.goodbyeMs / 1000, this.#lease.release());
    await released.catch((error: unknown) => this.#log.warn({ err: error }, 'could not let go of a recording'));
  }
}
