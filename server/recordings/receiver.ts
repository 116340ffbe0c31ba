import type { RawData } from 'ws';
import type { StopReason } from '../../domain/captures/recording.ts';
import { type Chunk, type ChunkWriter, createChunkWriter } from './chunks.ts';
import { type Claim, saveFormat } from './claims.ts';
import { acceptChunk, acceptFormat, type Reception, readChunk, readText, type ServerFrame } from './frames.ts';
import { createInOrder, type InOrder } from './in-order.ts';
import type { Lease } from './lease-renewal.ts';
import type { ConnectionParts } from './parts.ts';
import { maxChunks } from './times.ts';

type Parts = Pick<ConnectionParts, 'db' | 'store' | 'times' | 'limits' | 'queued' | 'onWritten'>;

export interface ReceiverListener {
  /** A frame is to be sent to the client. */
  onFrame(frame: ServerFrame): void;
  /** The recording is to be stopped: the client asked for it, or it is as large as it may be. */
  onStop(reason: StopReason): void;
  /** A queued write is done. */
  onDone(): void;
  /** A write failed; those after it are dropped. */
  onFault(error: unknown): void;
}

/** Reads the frames of one client, writes its chunks in order and acknowledges each once it is durable. */
export class Receiver {
  readonly #claim: Claim;
  readonly #lease: Lease;
  readonly #parts: Parts;
  readonly #listener: ReceiverListener;
  readonly #reception: Reception;
  readonly #writer: ChunkWriter;
  readonly #queue: InOrder;
  /** Chunks below it are durable. */
  #durable = 0;
  /** Bytes of the whole recording, with those that are queued. */
  #sizeBytes = 0;

  constructor(claim: Claim, lease: Lease, parts: Parts, listener: ReceiverListener) {
    this.#claim = claim;
    this.#lease = lease;
    this.#parts = parts;
    this.#listener = listener;
    this.#reception = { mediaType: claim.mediaType, next: 0 };
    this.#writer = createChunkWriter(parts.store, claim, parts.times);
    this.#queue = createInOrder({
      onDone: () => listener.onDone(),
      onFault: (error) => listener.onFault(error),
      onBytes: (change) => {
        parts.queued.bytes += change;
      },
    });
  }

  /** Sets what the recording has before this connection adds to it: `next` follows its last chunk. */
  begin(next: number, sizeBytes: number): void {
    this.#lease.begin(next, sizeBytes);
    this.#durable = next;
    this.#reception.next = next;
    this.#sizeBytes = sizeBytes;
  }

  /**
   * Whether reading must pause until a write is done. When the process has too much queued, each connection may have
   * one chunk.
   */
  get isFull(): boolean {
    const { limits, queued } = this.#parts;
    const { works, bytes } = this.#queue;
    const isTight = works > 0 && queued.bytes >= limits.maxProcessBytes;
    return works >= limits.window || bytes >= limits.maxQueuedBytes || isTight;
  }

  /** Whether a write has neither succeeded nor failed: it may still take effect. */
  get isUncertain(): boolean {
    return this.#writer.isUncertain;
  }

  /** Takes one frame of the client. @throws FrameFault */
  receive(data: RawData, isBinary: boolean): void {
    if (isBinary) this.#takeChunk(data as Buffer);
    else this.#takeText(data as Buffer);
  }

  /** Runs `work` once everything that was received before is written. */
  afterWrites(work: () => Promise<void>): void {
    this.#queue.add(0, work);
  }

  /** Resolves when nothing is queued or being written. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Drops what is not being written yet. */
  abandon(): void {
    this.#queue.abandon();
  }

  #takeText(data: Buffer): void {
    const frame = readText(data);
    if (frame.type === 'ping') this.#listener.onFrame({ type: 'pong' });
    if (frame.type === 'stop') this.#listener.onStop('stopped');
    if (frame.type === 'format' && acceptFormat(this.#reception, frame.mediaType))
      this.#queue.add(0, () => saveFormat(this.#parts.db, this.#claim, frame.mediaType));
  }

  #takeChunk(data: Buffer): void {
    const chunk = readChunk(data);
    const { maxRecordingBytes } = this.#parts.limits;
    const chunks = maxChunks(this.#claim.maxSeconds);
    if (!acceptChunk(this.#reception, chunk)) {
      if (chunk.sequence < this.#durable) this.#listener.onFrame({ type: 'ack', sequence: this.#durable - 1 });
    } else if (this.#sizeBytes + chunk.audio.length > maxRecordingBytes || chunk.sequence >= chunks) {
      this.#listener.onStop('max_size');
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
      this.#listener.onFrame({ type: 'ack', sequence });
    });
  }
}
