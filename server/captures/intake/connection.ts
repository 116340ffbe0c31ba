import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import { endRecording, holdCapture, type StopReason, type World } from '../../../routers/captures/recording.ts';
import { within } from '../../patience.ts';
import { StoreFault } from '../storage/store.ts';
import { type ChunkStore, chunksOf, createChunkWriter } from './chunks.ts';
import { type Claim, keepFormat } from './claims.ts';
import { admit, agree, FrameFault, type Reception, readChunk, readText, type ServerFrame } from './frames.ts';
import { createInOrder } from './in-order.ts';
import { type Keeper, LeaseLost } from './keeper.ts';
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
  /** So many bytes of audio were made durable. */
  onWritten(bytes: number): void;
}

/** A connection that adds audio to a recording. */
export interface Connection {
  /** Bytes of audio that wait to be written. */
  readonly heldBytes: number;
  /** Ends it when the client did not show for a while that it lives. */
  beat(): void;
  /** Writes what was received and sends the client to another process. */
  shutDown(): void;
  /** Cuts it off. */
  terminate(): void;
  /** Resolves when it is closed and nothing of it is under way. */
  over: Promise<void>;
}

/** How a connection ends, as its client is told. */
interface Ending {
  frame?: ServerFrame;
  code?: number;
  reason?: string;
  /** What was received and not written yet is of no use any more. */
  discard?: boolean;
}

/** A client that leaves so many bytes of ours unread is gone, or means harm. */
const mostUnread = 256 * 1024;

/**
 * Serves a connection that just took over a recording. `since`: before it did.
 *
 * Nothing acknowledged is lost or doubled, whatever becomes of this process:
 * - One connection writes, one chunk at a time, each durable before it is acknowledged, and both only while it is
 *   certain to hold the recording. One that takes over waits until the one before has let go, or its lease has run out,
 *   and only then asks the store what there is: so it sees all that was acknowledged before.
 * - Of a process that froze in the middle of a write, that one write may take effect later. It was not acknowledged, so
 *   the client that resumes sends the same bytes as the same chunk, and the object stays what it is. A client that no
 *   longer has them begins a new part, whose first chunk has a key of its own (`p`) that sorts behind.
 */
export function serveRecording(
  socket: WebSocket,
  claim: Claim,
  resumeToken: string,
  since: Moment,
  parts: ConnectionParts,
): Connection {
  const { db, jobs, store, news, times, limits } = parts;
  const { captureId, recordingId, maxSeconds, before } = claim;
  const log = parts.log.child({ recordingId });
  const reception: Reception = { mediaType: claim.mediaType, next: 0 };
  const writer = createChunkWriter(store, claim, times);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const over = Promise.withResolvers<void>();
  let state: 'opening' | 'open' | 'stopping' | 'ending' = 'opening';
  let [durable, sizeBytes] = [0, 0];
  let [isAlone, isAlive] = [before === null, true];

  const say = (frame: ServerFrame) => {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(JSON.stringify(frame));
    if (socket.bufferedAmount > mostUnread) socket.terminate();
  };
  const throttle = () => {
    if (state === 'ending' || state === 'opening') return;
    const isFull = queue.works >= limits.window || queue.bytes >= limits.heldBytes;
    if (isFull && !socket.isPaused) socket.pause();
    if (!isFull && socket.isPaused) socket.resume();
  };
  const end = async ({ frame, code = 1000, reason = '', discard = false }: Ending) => {
    if (discard) queue.abandon();
    if (state === 'ending') return;
    state = 'ending';
    socket.pause();
    await queue.idle();
    // Where a write may still take effect, or the one before may still write, only the lease tells when that is over.
    if (isAlone && !writer.isUncertain) {
      const released = within(times.goodbyeMs / 1000, lease.release());
      await released.catch((error: unknown) => log.warn({ err: error }, 'could not let go of a recording'));
    } else lease.drop();
    if (frame) say(frame);
    socket.close(code, reason);
    socket.resume();
    const patience = setTimeout(() => socket.terminate(), times.goodbyeMs);
    await closed;
    clearTimeout(patience);
    over.resolve();
  };
  const fail = (code: string, message: string) => void end({ frame: { type: 'error', code, message }, code: 4000 });
  const onFault = (error: unknown) => {
    if (error instanceof LeaseLost) return void end({ code: 4001, reason: 'replaced' });
    if (error instanceof FrameFault) return fail(error.code, error.message);
    log.error({ err: error }, 'a recording could not go on');
    const isStore = error instanceof StoreFault;
    const what = isStore ? 'The audio could not be stored.' : 'Something went wrong on our side.';
    const message = `${what} Connect again and send what is not acknowledged.`;
    return fail(isStore ? 'storage_unavailable' : 'internal_error', message);
  };
  const queue = createInOrder(throttle, onFault);
  const lease = parts.keeper.hold(claim, since, {
    onStop: (reason) => void end({ frame: { type: 'stopped', reason } }),
    onLoss: (loss, reason) => {
      if (loss === 'replaced') return void end({ code: 4001, reason: 'replaced' });
      const discard = true;
      if (reason) return void end({ frame: { type: 'stopped', reason }, discard });
      const message = 'This recording was erased.';
      return void end({ frame: { type: 'error', code: 'erased', message }, code: 4000, discard });
    },
  });

  /** Everything that came before is written by then. */
  const stop = (reason: StopReason) => {
    state = 'stopping';
    queue.add(0, async () => {
      await lease.held();
      const wasRunning = await db.transaction(
        async (tx) => (await holdCapture(tx, claim)) !== null && endRecording({ db: tx, jobs }, claim, reason),
      );
      if (wasRunning) return void end({ frame: { type: 'stopped', reason } });
      return parts.keeper.look(recordingId);
    });
  };
  const takeChunk = (data: Buffer) => {
    const chunk = readChunk(data);
    const { sequence, audio } = chunk;
    if (!admit(reception, chunk)) {
      if (sequence < durable) say({ type: 'ack', sequence: durable - 1 });
      return;
    }
    sizeBytes += audio.length;
    if (sizeBytes > limits.recordingBytes || sequence >= mostChunks(maxSeconds)) return stop('max_size');
    queue.add(audio.length, async () => {
      await lease.held();
      await writer.write(chunk);
      await lease.held();
      durable = sequence + 1;
      lease.wrote(audio.length);
      parts.onWritten(audio.length);
      say({ type: 'ack', sequence });
    });
  };
  const takeText = (data: Buffer) => {
    const frame = readText(data);
    if (frame.type === 'ping') return say({ type: 'pong' });
    if (frame.type === 'stop') return stop('stopped');
    if (frame.type !== 'format' || !agree(reception, frame.mediaType)) return;
    queue.add(0, () => keepFormat(db, claim, frame.mediaType));
  };
  const open = async () => {
    if (before) await news.letGo(before.holder, before.forMs);
    isAlone = true;
    const found = await chunksOf(store, claim);
    await lease.held();
    if (state !== 'opening') return;
    lease.begin(found.next, found.sizeBytes);
    [durable, sizeBytes] = [found.next, found.sizeBytes];
    reception.next = found.next;
    state = 'open';
    const { chunkBytes: maxChunkBytes, window } = limits;
    const about = { captureId, recordingId, resumeToken, nextSequence: found.next };
    say({ type: 'ready', ...about, maxDurationSeconds: maxSeconds, maxChunkBytes, window });
    socket.resume();
  };

  socket.on('message', (data: RawData, isBinary) => {
    isAlive = true;
    if (state !== 'open') return;
    try {
      if (isBinary) takeChunk(data as Buffer);
      else takeText(data as Buffer);
    } catch (error) {
      onFault(error);
    }
    throttle();
  });
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('ping', () => {
    isAlive = true;
    if (socket.bufferedAmount > mostUnread) socket.terminate();
  });
  socket.on('error', (error) => log.debug({ err: error }, 'the socket of a recording failed'));
  void closed.then(() => end({}));
  socket.pause();
  open().catch(onFault);

  return {
    get heldBytes() {
      return queue.bytes;
    },
    beat: () => {
      // What it sends is not read meanwhile, signs of life included.
      if (socket.isPaused) return;
      if (!isAlive) return socket.terminate();
      isAlive = false;
      socket.ping();
    },
    shutDown: () => void end({ code: 1012, reason: 'restart' }),
    terminate: () => socket.terminate(),
    over: over.promise,
  };
}
