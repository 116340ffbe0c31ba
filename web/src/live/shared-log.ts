import type { TandemEvent } from 'tandem/client';
import { api } from '../api/client.ts';
import type { LiveState } from '../api/live-state.ts';
import { holdStream } from './stream.ts';

/*
 * The windows of a browser follow the log of a workspace over one stream: the window that has a lock of the browser
 * holds it, and hands the events to the others on a channel. Each window has its own position, so it notices what it
 * missed, and takes over from there when the lock is free. A window that was hidden for a while takes no part until it
 * is shown.
 */

/** What windows send each other. All but `ask` and `session` comes from the window with the stream. */
type Message =
  | { kind: 'changes'; after: number; through: number; changes: readonly TandemEvent[] }
  | { kind: 'state'; state: LiveState; position: number | undefined }
  | { kind: 'gap'; position: number }
  | { kind: 'ask' }
  | { kind: 'session' };

/** What a window does with the log. */
export interface LogSink {
  /** Takes changes in their order, each once. */
  take(changes: readonly TandemEvent[]): void;
  /** Changes were missed. */
  takeAll(): void;
  onState(state: LiveState): void;
  /** Whether the session of this browser is still that of the page; reads it again. */
  isSameSession(): Promise<boolean>;
}

/** A hidden window takes part for so long. */
const hiddenMs = 30_000;
/** The window with the stream sends something every 15 s. It is asked after this time, and then replaced. */
const silentMs = 20_000;
const answerMs = 5_000;
/** Changes that are read at once; with more of them everything is read again. */
const maxMissed = 500;

/** The log of a workspace, as one window follows it. */
export class SharedLog {
  readonly #name: string;
  readonly #workspaceId: string;
  readonly #sink: LogSink;
  readonly #channel: BroadcastChannel | null;
  readonly #closing = new AbortController();
  /** Everything up to there was taken; undefined before that is known. */
  #position: number | undefined;
  /** How far the log is known to go. */
  #end = 0;
  #state: LiveState = 'off';
  #isLeading = false;
  #isReadingMissed = false;
  /** Aborted when this window no longer takes part. */
  #part: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  /** `name` is the same in all windows of one person and workspace. */
  constructor(name: string, workspaceId: string, position: number | undefined, sink: LogSink) {
    this.#name = name;
    this.#workspaceId = workspaceId;
    this.#position = position;
    this.#sink = sink;
    const canShare = typeof BroadcastChannel === 'function' && 'locks' in navigator;
    this.#channel = canShare ? new BroadcastChannel(name) : null;
    const { signal } = this.#closing;
    this.#channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#receive(data), { signal });
    document.addEventListener('visibilitychange', () => this.#onVisibility(), { signal });
    // A frozen page runs nothing. One in the cache of the browser must hold no lock.
    for (const event of ['freeze', 'resume']) document.addEventListener(event, () => this.#onCycle(event), { signal });
    for (const event of ['pagehide', 'pageshow']) addEventListener(event, () => this.#onCycle(event), { signal });
    this.#onVisibility();
  }

  /** Ends it, and returns the position. The other windows check whether the session has ended or moved. */
  close(): number | undefined {
    this.#leave();
    this.#send({ kind: 'session' });
    this.#closing.abort();
    clearTimeout(this.#hiddenTimer);
    this.#channel?.close();
    return this.#position;
  }

  #onVisibility(): void {
    clearTimeout(this.#hiddenTimer);
    if (document.visibilityState === 'visible') this.#join();
    else this.#hiddenTimer = setTimeout(() => this.#leave(), hiddenMs);
  }

  #onCycle(event: string): void {
    if (event === 'freeze' || event === 'pagehide') this.#leave();
    else this.#onVisibility();
  }

  #join(): void {
    if (this.#part) return;
    const part = new AbortController();
    this.#part = part;
    void this.#queue(part, false);
    if (!this.#isLeading && this.#channel) this.#ask();
  }

  #leave(): void {
    this.#part?.abort();
    this.#part = undefined;
    clearTimeout(this.#timer);
    this.#setState('off');
  }

  /** Waits for the lock, or takes it from a window that does not answer, and holds the stream. */
  async #queue(part: AbortController, isStealing: boolean): Promise<void> {
    const { signal } = part;
    const lead = () => this.#lead(signal);
    try {
      if (!this.#channel) return await lead();
      await navigator.locks.request(this.#name, isStealing ? { steal: true } : { signal }, lead);
    } catch {
      // The wait was ended, or another window has taken the lock: this one did not answer, and follows now.
      if (this.#part !== part || signal.aborted) return;
      this.#leave();
      this.#onVisibility();
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    clearTimeout(this.#timer);
    this.#isLeading = true;
    try {
      // The window that had the lock before may have closed because the session has.
      if (this.#channel && !(await this.#sink.isSameSession())) return;
      const holder = {
        workspaceId: this.#workspaceId,
        isSameSession: this.#sink.isSameSession,
        onState: (state: LiveState) => {
          const isNew = state !== this.#state;
          this.#setState(state);
          if (isNew) this.#sendState();
        },
        onGap: (position: number) => {
          this.#restart(position);
          this.#send({ kind: 'gap', position });
        },
        onChanges: (after: number, through: number, changes: readonly TandemEvent[]) => {
          this.#take(after, through, changes);
          this.#send({ kind: 'changes', after, through, changes });
        },
      };
      await holdStream(holder, this.#position, signal);
    } finally {
      this.#isLeading = false;
      if (!signal.aborted) this.#setState('off');
    }
  }

  #send(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #sendState(): void {
    this.#send({ kind: 'state', state: this.#state, position: this.#position });
  }

  #receive(message: Message): void {
    const { kind } = message;
    if (kind === 'session') void this.#sink.isSameSession();
    // The log may have gone back: a window that takes no part has to know too.
    else if (kind === 'gap') this.#restart(message.position);
    else if (kind !== 'ask') this.#follow(message);
    else if (this.#isLeading) this.#sendState();
  }

  /** Takes what the window with the stream sends. */
  #follow(message: Extract<Message, { kind: 'changes' | 'state' }>): void {
    if (this.#isLeading || !this.#part) return;
    this.#waitFor(silentMs, () => this.#ask());
    if (message.kind === 'changes') this.#take(message.after, message.through, message.changes);
    else {
      const { position, state } = message;
      if (position !== undefined) this.#take(position, position, []);
      this.#setState(state);
    }
  }

  #take(after: number, through: number, changes: readonly TandemEvent[]): void {
    this.#end = Math.max(this.#end, through);
    const last = this.#position;
    if (last === undefined) this.#restart(through);
    else if (after > last) void this.#readMissed();
    else {
      this.#position = Math.max(last, through);
      this.#sink.take(changes.filter(({ sequence }) => sequence > last));
    }
  }

  /** Goes on from a position before which changes were missed. */
  #restart(position: number): void {
    this.#position = position;
    this.#end = position;
    this.#sink.takeAll();
  }

  /** Reads what another window was sent and this one was not. */
  async #readMissed(): Promise<void> {
    if (this.#isReadingMissed) return;
    this.#isReadingMissed = true;
    try {
      while (this.#position !== undefined && this.#position < this.#end) {
        const query = { afterSequence: this.#position, limit: maxMissed };
        const { data, hasMore, nextSequence } = await api.events.list.query(query);
        if (hasMore || nextSequence <= this.#position) this.#restart(this.#end);
        else this.#take(this.#position, nextSequence, data);
      }
    } catch {
      this.#restart(this.#end);
    } finally {
      this.#isReadingMissed = false;
    }
  }

  #setState(state: LiveState): void {
    this.#state = state;
    this.#sink.onState(state);
  }

  /** Asks the window with the stream, and takes its place if it does not answer. */
  #ask(): void {
    this.#send({ kind: 'ask' });
    this.#waitFor(answerMs, () => {
      this.#part?.abort();
      this.#part = new AbortController();
      void this.#queue(this.#part, true);
    });
  }

  #waitFor(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}
