import { setTimeout as sleep } from 'node:timers/promises';

/** The parts of POST /captures/recordings' response that a recorder needs. */
export interface Session {
  captureId: string;
  socketUrl: string;
  token: string;
}

/** Outcome of one recording. */
export interface Recorded {
  captureId: string;
  /** Milliseconds from sending each chunk to its acknowledgement. */
  acks: number[];
  /** Why it failed; null when every chunk and the stop were acknowledged. */
  fault: string | null;
}

/** The frame of docs/recording.md. */
function frameOf(sequence: number, audio: Buffer): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(5 + audio.length);
  frame[0] = sequence === 0 ? 1 : 0;
  new DataView(frame.buffer).setUint32(1, sequence);
  frame.set(audio, 5);
  return frame;
}

/** Sends a chunk every `chunkMs` from `startAt` on, and stops when `over` settles. */
export async function record(
  { captureId, socketUrl, token }: Session,
  chunks: readonly Buffer[],
  { startAt, chunkMs, over }: { startAt: number; chunkMs: number; over: Promise<void> },
): Promise<Recorded> {
  const socket = new WebSocket(socketUrl, [`tandem.${token}`]);
  const sent: number[] = [];
  const acks: number[] = [];
  const [ready, acknowledged, stopped] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const failed = new Promise<never>((_, reject) => {
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(String(data)) as { type: string; sequence?: number; message?: string };
      if (frame.type === 'ready') ready?.resolve();
      if (frame.type === 'ack') {
        const { sequence = 0 } = frame;
        const now = performance.now();
        // An acknowledgement covers all chunks before it.
        for (let at = acks.length; at <= sequence; at++) acks.push(now - (sent[at] ?? Number.NaN));
        if (acks.length === chunks.length) acknowledged?.resolve();
      }
      if (frame.type === 'stopped') stopped?.resolve();
      if (frame.type === 'error') reject(new Error(frame.message));
    };
    socket.onerror = () => reject(new Error('the socket failed'));
    socket.onclose = ({ code }) => reject(new Error(`the socket closed with ${code}`));
  });
  failed.catch(() => {});
  const either = (promise: Promise<void> | undefined) => Promise.race([promise, failed]);
  try {
    await either(ready?.promise);
    socket.send(JSON.stringify({ type: 'format', mediaType: 'audio/webm' }));
    for (const [sequence, audio] of chunks.entries()) {
      await sleep(Math.max(0, startAt + sequence * chunkMs - performance.now()));
      sent.push(performance.now());
      socket.send(frameOf(sequence, audio));
    }
    await either(acknowledged?.promise);
    await over;
    socket.send(JSON.stringify({ type: 'stop' }));
    await either(stopped?.promise);
    return { captureId, acks, fault: null };
  } catch (error) {
    return { captureId, acks, fault: error instanceof Error ? error.message : String(error) };
  } finally {
    socket.close();
  }
}
