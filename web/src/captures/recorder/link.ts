import { type ClientFrame, chunkHeader, type ReadyFrame, readFrame, type StopReason } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** How a recording stands for the service; `unknown` when it cannot be asked now. */
export type Standing = 'recording' | 'over' | 'erased' | 'unknown';

/** Why a link is over for good. */
export type LinkEnd =
  /** The recording is stopped; without a reason when that happened while the link was cut off. */
  | { by: 'stop'; reason: StopReason | null }
  /** Another window goes on with it. */
  | { by: 'replaced' }
  | { by: 'erased' }
  /** The token was spent on a connection that broke before it said how to resume. */
  | { by: 'refused' }
  | { by: 'fault'; message: string };

export interface LinkParts {
  socketUrl: string;
  /** The token of the session, or the one to resume with. */
  secret: string;
  resumes: boolean;
  /** Such as `audio/webm`. */
  mediaType: string;
  outbox: Outbox;
  standing(): Promise<Standing>;
  onReady(frame: ReadyFrame): void;
  /** Audio was acknowledged, or the connection came or went. */
  onChange(): void;
  onEnd(end: LinkEnd): void;
}

export type LinkState = 'connecting' | 'open' | 'lost' | 'over';

/** The way of one recording to the service, over as many connections as it takes. */
export interface Link {
  readonly state: LinkState;
  /** Since when there is no connection, in ms of the clock; null while there is one. */
  readonly lostAt: number | null;
  /** Sends what the outbox holds, as far as the window allows. */
  push(): void;
  pause(paused: boolean): void;
  /** Ends the recording once all of the outbox was sent. */
  stop(): void;
  /** Connects now instead of later; finds out sooner whether an open connection still lives. */
  hurry(): void;
  /** Gives up, without a word to the service. */
  close(): void;
}

/** How long a link waits, in ms; other times only in tests. */
export interface LinkTimes {
  /** For a connection to be ready. */
  connectMs: number;
  /** Before it asks whether a silent service is still there, and for its answer. */
  quietMs: number;
  answerMs: number;
  hurriedAnswerMs: number;
  beatMs: number;
  /** Before the second attempt, and at most before any. */
  firstWaitMs: number;
  longestWaitMs: number;
}

const usualTimes: LinkTimes = {
  connectMs: 10_000,
  quietMs: 8_000,
  answerMs: 15_000,
  hurriedAnswerMs: 3_000,
  beatMs: 4_000,
  firstWaitMs: 250,
  longestWaitMs: 10_000,
};

/** Attempts that a token gets which may have been spent, and faults of ours in a row, before it is given up. */
const mostRefusals = 4;
const mostFaults = 5;

const closeReplaced = 4001;

/** Milliseconds before the next attempt after so many that failed, with some chance in it (a service that restarts). */
function waitMs(failures: number, { firstWaitMs, longestWaitMs }: LinkTimes): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** failures) * (0.75 + Math.random() / 2);
}

/**
 * Connects, and connects again whenever the connection breaks, until the recording is over. What a broken connection
 * did not acknowledge is sent again.
 */
export function openLink(parts: LinkParts, times: LinkTimes = usualTimes): Link {
  const { outbox } = parts;
  let { secret, resumes: canResume } = parts;
  let state: LinkState = 'connecting';
  let lostAt: number | null = Date.now();
  let socket: WebSocket | undefined;
  let mostUnderWay = 1;
  let [failures, faults] = [0, 0];
  let [isPaused, isStopping, isStopSent] = [false, false, false];
  let heardAt = 0;
  let answerBy: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;

  const say = (frame: ClientFrame) => socket?.send(JSON.stringify(frame));

  const push = () => {
    if (state !== 'open') return;
    for (let next = outbox.take(mostUnderWay); next; next = outbox.take(mostUnderWay)) {
      const { sequence, chunk } = next;
      socket?.send(new Blob([chunkHeader(sequence, chunk.begins), chunk.audio]));
    }
    if (!isStopping || isStopSent || !outbox.isAllSent) return;
    isStopSent = true;
    say({ type: 'stop' });
  };

  const leave = () => {
    clearTimeout(timer);
    const left = socket;
    socket = undefined;
    left?.close(1000);
  };
  const end = (by: LinkEnd) => {
    if (state === 'over') return;
    state = 'over';
    leave();
    clearInterval(beating);
    parts.onEnd(by);
  };

  const ready = (frame: ReadyFrame) => {
    outbox.resume(frame.nextSequence);
    clearTimeout(timer);
    [state, lostAt, failures, secret, canResume] = ['open', null, 0, frame.resumeToken, true];
    mostUnderWay = frame.window;
    say({ type: 'format', mediaType: parts.mediaType });
    if (isPaused) say({ type: 'pause' });
    parts.onReady(frame);
    parts.onChange();
    push();
  };
  const hear = (text: string) => {
    [heardAt, answerBy] = [Date.now(), null];
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
    if (faults >= mostFaults) return end({ by: 'fault', message: frame.message });
  };

  const lose = (code = 0) => {
    if (code === closeReplaced) return end({ by: 'replaced' });
    leave();
    lostAt ??= Date.now();
    [state, isStopSent, answerBy] = ['lost', false, null];
    timer = setTimeout(() => void retry(), waitMs(failures, times));
    failures += 1;
    parts.onChange();
  };
  const connect = () => {
    leave();
    const attempt = new WebSocket(parts.socketUrl, `tandem.${secret}`);
    socket = attempt;
    attempt.onmessage = ({ data }) => {
      if (socket !== attempt) return;
      try {
        hear(String(data));
      } catch (error) {
        end({ by: 'fault', message: `The service said what this page does not understand (${error}).` });
      }
    };
    attempt.onclose = ({ code }) => {
      if (socket === attempt) lose(code);
    };
    timer = setTimeout(() => lose(), times.connectMs);
  };
  /** A refused connection does not say why, so the service is asked how the recording stands. */
  const retry = async () => {
    if (isAsking) return;
    isAsking = true;
    const standing = failures > 1 ? await parts.standing() : 'unknown';
    isAsking = false;
    if (state === 'over') return;
    if (standing === 'over') return end({ by: 'stop', reason: null });
    if (standing === 'erased') return end({ by: 'erased' });
    if (standing === 'recording' && !canResume && failures >= mostRefusals) return end({ by: 'refused' });
    connect();
  };

  const suspect = (withinMs: number) => {
    say({ type: 'ping' });
    answerBy = Math.min(answerBy ?? Number.POSITIVE_INFINITY, Date.now() + withinMs);
  };
  const beating = setInterval(() => {
    if (state !== 'open') return;
    const now = Date.now();
    if (answerBy !== null && now > answerBy) lose();
    else if (answerBy === null && now - heardAt > times.quietMs) suspect(times.answerMs);
  }, times.beatMs);

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
      if (state === 'open') say({ type: paused ? 'pause' : 'resume' });
    },
    stop: () => {
      isStopping = true;
      push();
    },
    hurry: () => {
      if (state === 'open') return suspect(times.hurriedAnswerMs);
      if (state !== 'lost') return;
      clearTimeout(timer);
      void retry();
    },
    close: () => {
      state = 'over';
      leave();
      clearInterval(beating);
    },
  };
}
