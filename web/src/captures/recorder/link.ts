import { type ClientFrame, chunkHeader, type ReadyFrame, readFrame, type StopReason } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** Status of a recording at the service; `unknown` when the service cannot be reached. */
export type RecordingStatus = 'recording' | 'over' | 'erased' | 'unknown';

/** Why a link has ended. */
export type LinkEnd =
  /** The recording was stopped; the reason is null when that happened while disconnected. */
  | { by: 'stop'; reason: StopReason | null }
  /** Another window continues it. */
  | { by: 'replaced' }
  | { by: 'erased' }
  /** The token was used by a connection that broke before it received a resume token. */
  | { by: 'refused' }
  | { by: 'fault'; message: string };

export interface LinkParts {
  socketUrl: string;
  /** The session token, or a resume token. */
  secret: string;
  resumes: boolean;
  /** Such as `audio/webm`. */
  mediaType: string;
  outbox: Outbox;
  status(): Promise<RecordingStatus>;
  onReady(frame: ReadyFrame): void;
  /** Audio was acknowledged, or the connection state changed. */
  onChange(): void;
  onEnd(end: LinkEnd): void;
}

export type LinkState = 'connecting' | 'open' | 'lost' | 'over';

/** Transport of one recording to the service, across reconnects. */
export interface Link {
  readonly state: LinkState;
  /** Since when there is no connection (epoch ms); null while connected. */
  readonly lostAt: number | null;
  /** Sends chunks of the outbox, as far as the window allows. */
  push(): void;
  pause(paused: boolean): void;
  /** Stops the recording once the outbox is empty. */
  stop(): void;
  /** Reconnects without delay, or checks an open connection with a short timeout. */
  checkNow(): void;
  /** Closes the connection without stopping the recording. */
  close(): void;
}

/** Timeouts in ms; tests use shorter ones. */
export interface LinkTimes {
  /** Until a connection is ready. */
  connectMs: number;
  /** Without a frame until a ping is sent, and until its pong. */
  idleMs: number;
  pongTimeoutMs: number;
  /** Timeout of the pong after `checkNow`. */
  quickPongTimeoutMs: number;
  /** Interval of the check. */
  heartbeatMs: number;
  /** Delay before the second attempt, and the maximum. */
  firstWaitMs: number;
  maxWaitMs: number;
}

const defaultTimes: LinkTimes = {
  connectMs: 10_000,
  idleMs: 8_000,
  pongTimeoutMs: 15_000,
  quickPongTimeoutMs: 3_000,
  heartbeatMs: 4_000,
  firstWaitMs: 250,
  maxWaitMs: 10_000,
};

/** Attempts with a token that may be used up, and consecutive error frames, before the link ends. */
const maxRefusals = 4;
const maxErrors = 5;

const closeReplaced = 4001;

/** Delay before the next attempt, in ms: exponential with jitter, so that clients do not reconnect all at once. */
function waitMs(failures: number, { firstWaitMs, maxWaitMs }: LinkTimes): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** failures) * (0.75 + Math.random() / 2);
}

/**
 * Connects, and reconnects until the recording has ended. Chunks that a lost connection did not acknowledge are sent
 * again.
 */
export function openLink(parts: LinkParts, times: LinkTimes = defaultTimes): Link {
  const { outbox } = parts;
  let { secret, resumes: canResume } = parts;
  let state: LinkState = 'connecting';
  let lostAt: number | null = Date.now();
  let socket: WebSocket | undefined;
  let maxInFlight = 1;
  let [failures, faults] = [0, 0];
  let [isPaused, isStopping, isStopSent] = [false, false, false];
  let receivedAt = 0;
  let pongDeadline: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isChecking = false;

  const send = (frame: ClientFrame) => socket?.send(JSON.stringify(frame));

  const push = () => {
    if (state !== 'open') return;
    for (let next = outbox.take(maxInFlight); next; next = outbox.take(maxInFlight)) {
      const { sequence, chunk } = next;
      socket?.send(new Blob([chunkHeader(sequence, chunk.begins), chunk.audio]));
    }
    if (!isStopping || isStopSent || !outbox.isAllSent) return;
    isStopSent = true;
    send({ type: 'stop' });
  };

  const disconnect = () => {
    clearTimeout(timer);
    const left = socket;
    socket = undefined;
    left?.close(1000);
  };
  const end = (by: LinkEnd) => {
    if (state === 'over') return;
    state = 'over';
    disconnect();
    clearInterval(heartbeat);
    parts.onEnd(by);
  };

  const ready = (frame: ReadyFrame) => {
    outbox.resume(frame.nextSequence);
    clearTimeout(timer);
    [state, lostAt, failures, secret, canResume] = ['open', null, 0, frame.resumeToken, true];
    maxInFlight = frame.window;
    send({ type: 'format', mediaType: parts.mediaType });
    if (isPaused) send({ type: 'pause' });
    parts.onReady(frame);
    parts.onChange();
    push();
  };
  const receive = (text: string) => {
    [receivedAt, pongDeadline] = [Date.now(), null];
    const frame = readFrame(text);
    if (frame?.type === 'ready') return ready(frame);
    if (frame?.type === 'stopped') return end({ by: 'stop', reason: frame.reason });
    if (frame?.type === 'ack') {
      outbox.acknowledge(frame.sequence);
      faults = 0;
      push();
      return parts.onChange();
    }
    if (frame?.type !== 'error') return;
    faults += 1;
    if (frame.code === 'erased') return end({ by: 'erased' });
    if (faults >= maxErrors) return end({ by: 'fault', message: frame.message });
  };

  const reconnectLater = (code = 0) => {
    if (code === closeReplaced) return end({ by: 'replaced' });
    disconnect();
    lostAt ??= Date.now();
    [state, isStopSent, pongDeadline] = ['lost', false, null];
    timer = setTimeout(() => void retry(), waitMs(failures, times));
    failures += 1;
    parts.onChange();
  };
  const connect = () => {
    disconnect();
    const attempt = new WebSocket(parts.socketUrl, `tandem.${secret}`);
    socket = attempt;
    attempt.onmessage = ({ data }) => {
      if (socket !== attempt) return;
      try {
        receive(String(data));
      } catch (error) {
        end({ by: 'fault', message: `The service sent an invalid frame (${error}).` });
      }
    };
    attempt.onclose = ({ code }) => {
      if (socket === attempt) reconnectLater(code);
    };
    timer = setTimeout(() => reconnectLater(), times.connectMs);
  };
  /** A refused WebSocket has no reason, so the status of the recording is read from the API. */
  const retry = async () => {
    if (isChecking) return;
    isChecking = true;
    const status = failures > 1 ? await parts.status() : 'unknown';
    isChecking = false;
    if (state === 'over') return;
    if (status === 'over') return end({ by: 'stop', reason: null });
    if (status === 'erased') return end({ by: 'erased' });
    if (status === 'recording' && !canResume && failures >= maxRefusals) return end({ by: 'refused' });
    connect();
  };

  const ping = (withinMs: number) => {
    send({ type: 'ping' });
    pongDeadline = Math.min(pongDeadline ?? Number.POSITIVE_INFINITY, Date.now() + withinMs);
  };
  const heartbeat = setInterval(() => {
    if (state !== 'open') return;
    const now = Date.now();
    if (pongDeadline !== null && now > pongDeadline) reconnectLater();
    else if (pongDeadline === null && now - receivedAt > times.idleMs) ping(times.pongTimeoutMs);
  }, times.heartbeatMs);

  connect();
  return {
    get state() {
      return state;
    },
    get lostAt() {
      return lostAt;
    },
    push,
    pause: (paused) => {
      isPaused = paused;
      if (state === 'open') send({ type: paused ? 'pause' : 'resume' });
    },
    stop: () => {
      isStopping = true;
      push();
    },
    checkNow: () => {
      if (state === 'open') return ping(times.quickPongTimeoutMs);
      if (state !== 'lost') return;
      clearTimeout(timer);
      void retry();
    },
    close: () => {
      state = 'over';
      disconnect();
      clearInterval(heartbeat);
    },
  };
}
