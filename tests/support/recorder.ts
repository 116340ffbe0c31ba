import { once } from 'node:events';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import type { ServerFrame } from '../../server/recordings/frames.ts';
import type { Answer } from './harness.ts';

/* A recorder as docs/recording.md describes it: the client of the recording socket. */

/** What it needs of a RecordingSession. */
export interface Session {
  socketUrl: string;
  token: string;
}

export type Ready = Extract<ServerFrame, { type: 'ready' }>;

export interface Closing {
  code: number;
  reason: string;
}

interface Kept {
  sequence: number;
  frame: Buffer;
}

/** One binary frame. `begins`: the chunk is the first of a part. */
export function chunkFrame(sequence: number, audio: Uint8Array, begins = sequence === 0): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(begins ? 1 : 0, 0);
  header.writeUInt32BE(sequence, 1);
  return Buffer.concat([header, audio]);
}

/** The answer to a handshake that is refused. @throws Error when it is not. */
export function refusalOf(
  socketUrl: string,
  token: string | null,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.from('sixteen bytes ok').toString('base64'),
    'sec-websocket-protocol': token === null ? undefined : `tandem.${token}`,
    ...headers,
  };
  const sent = Object.entries(handshake).filter((each): each is [string, string] => each[1] !== undefined);
  return new Promise((resolve, reject) => {
    const asked = request(socketUrl.replace(/^ws/, 'http'), { headers: Object.fromEntries(sent) });
    asked.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('the handshake was accepted'));
    });
    asked.on('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const fields = Object.entries(response.headers).map(([name, value]): [string, string] => [name, `${value}`]);
      const body = text.startsWith('{') ? JSON.parse(text) : undefined;
      resolve({ status: response.statusCode ?? 0, headers: new Headers(fields), text, body });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Keeps every chunk until it is acknowledged, and sends no more than the window at a time. */
export class Recorder {
  ready!: Ready;
  /** All that came since the last connect. */
  frames: ServerFrame[] = [];
  closed!: Promise<Closing>;
  /** Chunks below it are durable. */
  durable = 0;
  readonly #session: Session;
  readonly #mediaType: string;
  #socket!: WebSocket;
  #kept: Kept[] = [];
  #next = 0;
  #sent = 0;
  #wake = Promise.withResolvers<void>();

  private constructor(session: Session, mediaType: string) {
    this.#session = session;
    this.#mediaType = mediaType;
  }

  /** Connects for the first time. @throws Error when the handshake is refused. */
  static async start(session: Session, mediaType = 'audio/webm'): Promise<Recorder> {
    const recorder = new Recorder(session, mediaType);
    await recorder.#connect(session.socketUrl, session.token);
    return recorder;
  }

  /** Connects again, also elsewhere, and sends what is not durable. */
  async resume(socketUrl = this.#session.socketUrl): Promise<Ready> {
    await this.#connect(socketUrl, this.ready.resumeToken);
    return this.ready;
  }

  /** Another recorder that knows the resume token alone, as a page that was loaded again. */
  async anew(socketUrl = this.#session.socketUrl): Promise<Recorder> {
    const recorder = new Recorder(this.#session, this.#mediaType);
    await recorder.#connect(socketUrl, this.ready.resumeToken);
    return recorder;
  }

  /** Waits until the service has received all that was sent: it answers a ping in its turn (RFC 6455 §5.5.3). */
  async received(): Promise<void> {
    const pong = once(this.#socket, 'pong');
    this.#socket.ping();
    await pong;
  }

  async #connect(socketUrl: string, token: string): Promise<void> {
    const socket = new WebSocket(socketUrl, `tandem.${token}`);
    this.#socket = socket;
    this.frames = [];
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#stir();
      });
    });
    const failed = new Promise<never>((_, reject) => socket.on('error', reject));
    failed.catch(() => {});
    socket.on('message', (data) => this.#onFrame(JSON.parse(data.toString())));
    await Promise.race([this.next('ready'), failed]);
    this.send({ type: 'format', mediaType: this.#mediaType });
    this.#next = Math.max(this.#next, this.ready.nextSequence);
    this.#sent = this.ready.nextSequence;
    this.#pump();
  }

  #stir(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers();
    resolve();
  }

  #onFrame(frame: ServerFrame): void {
    this.frames.push(frame);
    if (frame.type === 'ready') {
      this.ready = frame;
      this.#forget(frame.nextSequence);
    }
    if (frame.type === 'ack') {
      this.#forget(frame.sequence + 1);
      this.#pump();
    }
    this.#stir();
  }

  #forget(below: number): void {
    this.durable = Math.max(this.durable, below);
    this.#kept = this.#kept.filter(({ sequence }) => sequence >= below);
  }

  #pump(): void {
    for (const { sequence, frame } of this.#kept) {
      if (sequence >= this.durable + this.ready.window) return;
      if (sequence < this.#sent || !this.isOpen) continue;
      this.#socket.send(frame);
      this.#sent = sequence + 1;
    }
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Chunks that are not acknowledged. */
  get unacknowledged(): number {
    return this.#kept.length;
  }

  /** Records one chunk and returns its sequence. */
  record(audio: Uint8Array, begins = this.#next === 0): number {
    const sequence = this.#next;
    this.#next += 1;
    this.#kept.push({ sequence, frame: chunkFrame(sequence, audio, begins) });
    this.#pump();
    return sequence;
  }

  /** Sends a frame as it is. */
  send(frame: object | string | Buffer): void {
    const data = typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame);
    this.#socket.send(data);
  }

  /** The first frame of this type, since the last connect or to come. @throws Error when the socket closes before. */
  async next<Type extends ServerFrame['type']>(type: Type): Promise<Extract<ServerFrame, { type: Type }>> {
    for (;;) {
      const found = this.frames.find((frame) => frame.type === type);
      if (found) return found as Extract<ServerFrame, { type: Type }>;
      const { readyState, CLOSED } = this.#socket;
      if (readyState === CLOSED) throw new Error(`closed before ${type}: ${JSON.stringify(this.frames.at(-1))}`);
      await this.#wake.promise;
    }
  }

  /** Waits until all that was recorded is acknowledged. @throws Error when the socket closes before. */
  async settled(): Promise<void> {
    while (this.#kept.length > 0) {
      if (this.#socket.readyState === WebSocket.CLOSED) throw new Error('closed before all was acknowledged');
      await this.#wake.promise;
    }
  }

  /** Sends `stop` behind what was recorded and returns why the recording ended. */
  async stop(): Promise<string> {
    await this.settled();
    this.send({ type: 'stop' });
    return (await this.next('stopped')).reason;
  }

  /** Breaks the connection off, as a network does. */
  async drop(): Promise<void> {
    this.#socket.terminate();
    await this.closed;
  }

  /** Reads nothing more until `resumeReading`. */
  pauseReading(): void {
    this.#socket.pause();
  }

  resumeReading(): void {
    this.#socket.resume();
  }
}
