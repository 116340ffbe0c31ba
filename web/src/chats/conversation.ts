import type { ChatEvent } from 'tandem/client';
import { endOfPause, notePause } from '../api/pauses.ts';
import { problemOf } from '../api/problem.ts';
import type { ChatStatus, Message } from './queries.ts';
import { joined, lastSequence, type OpenText, withDelta } from './transcript.ts';

/** How a conversation reads. */
export interface ChatReader {
  /** Up to `limit` messages after a sequence, the oldest first. */
  messages(afterSequence: number, limit: number): Promise<{ data: Message[]; hasMore: boolean }>;
  /** What happens after a sequence until the agent stops, over lost connections. @throws without a stream. */
  follow(afterSequence: number, signal: AbortSignal): AsyncIterable<ChatEvent>;
  /** The newest messages as this browser has stored them, for where the service cannot be reached. */
  stored(): readonly Message[];
}

/** What is known of the settled part of a conversation. */
export interface ConversationView {
  messages: readonly Message[];
  /** Whether the newest messages were read. */
  isOpened: boolean;
  /** Why they, or older ones, could not be read. */
  error: unknown;
  /** Why what is newer than the known messages could not be read, where it is not tried again. */
  newerError: unknown;
  isReadingOlder: boolean;
  /** Whether the last attempt to receive live text failed. */
  isStreamLost: boolean;
}

export const pageSize = 100;
/** The open text is rendered at most this often. */
const drawMs = 50;
/** Between attempts to open the stream, each of which repeats by itself for a while. */
const streamPauseMs = 10_000;
/** Before messages that could not be read are read again: doubled with each failure, up to a minute. */
const readPauseMs = 2_000;
const maxReadPauseMs = 60_000;

/** Resolves after `ms`, or when `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

/** The messages of one chat as they arrive: the newest first, older ones on demand, live text beside them. */
export class Conversation {
  readonly #reader: ChatReader;
  readonly #pauseMs: number;
  readonly #readPauseMs: number;
  readonly #watchers = new Set<() => void>();
  readonly #textWatchers = new Set<() => void>();
  #view: ConversationView = {
    messages: [],
    isOpened: false,
    error: null,
    newerError: null,
    isReadingOlder: false,
    isStreamLost: false,
  };
  #open: OpenText | null = null;
  #drawn: OpenText | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<unknown> | undefined;
  #opening: Promise<void> | undefined;
  /** Reads that failed in a row. */
  #failures = 0;

  constructor(reader: ChatReader, pauseMs = streamPauseMs, firstReadPauseMs = readPauseMs) {
    this.#reader = reader;
    this.#pauseMs = pauseMs;
    this.#readPauseMs = firstReadPauseMs;
  }

  readonly view = (): ConversationView => this.#view;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  };

  /** The text of the message that is being written; changes at most every 50 ms. */
  readonly openText = (): OpenText | null => this.#drawn;

  readonly subscribeText = (changed: () => void): (() => void) => {
    this.#textWatchers.add(changed);
    return () => void this.#textWatchers.delete(changed);
  };

  #show(changes: Partial<ConversationView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const changed of this.#watchers) changed();
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#drawn === this.#open) return;
    this.#drawn = this.#open;
    for (const changed of this.#textWatchers) changed();
  }

  #write(open: OpenText | null): void {
    this.#open = open;
    if (open === null) this.#draw();
    else this.#timer ??= setTimeout(() => this.#draw(), drawMs);
  }

  #add(incoming: readonly Message[]): void {
    const messages = joined(this.#view.messages, incoming);
    if (messages === this.#view.messages) return;
    if (this.#open && this.#open.sequence <= lastSequence(messages)) this.#write(null);
    this.#show({ messages });
  }

  /** Reads messages. Each failure in a row notes a longer pause. */
  async #read(afterSequence: number, limit: number) {
    try {
      const page = await this.#reader.messages(afterSequence, limit);
      this.#failures = 0;
      return page;
    } catch (error) {
      notePause(error, this.#growingMs(this.#failures++));
      throw error;
    }
  }

  /** The pause before what failed so often is read again. The share of chance: not all windows come back at once. */
  #growingMs(failures: number): number {
    return Math.min(maxReadPauseMs, this.#readPauseMs * 2 ** failures) * (1 + Math.random() / 2);
  }

  /** Reads the newest messages of a chat that has `count`: sequences have no gaps, so it is known where they begin. */
  async open(count: number): Promise<void> {
    if (this.#view.isOpened) return;
    this.#opening ??= this.#readNewest(count).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  async #readNewest(count: number): Promise<void> {
    try {
      const { data } = await this.#read(Math.max(0, count - pageSize), pageSize);
      this.#add(data);
      this.#show({ isOpened: true, error: null });
    } catch (error) {
      const stored = problemOf(error).status === 0 ? this.#reader.stored() : [];
      this.#add(stored);
      this.#show(stored.length > 0 ? { isOpened: true, error: null } : { error });
    }
  }

  /** Reads the page before the oldest known message. */
  async readOlder(): Promise<void> {
    const [oldest] = this.#view.messages;
    if (!oldest || oldest.sequence === 1 || this.#view.isReadingOlder) return;
    this.#show({ isReadingOlder: true, error: null });
    const after = Math.max(0, oldest.sequence - 1 - pageSize);
    try {
      const { data } = await this.#read(after, oldest.sequence - 1 - after);
      this.#add(data);
      this.#show({ isReadingOlder: false });
    } catch (error) {
      this.#show({ isReadingOlder: false, error });
    }
  }

  /**
   * Reads the messages of a chat that has `count`, if no stream sends them: the newest if none are known, else the
   * newer ones. A read that fails for a temporary reason is repeated until `signal` aborts, less and less often.
   */
  async keepUp(count: number, signal: AbortSignal): Promise<void> {
    const isBehind = () => !this.#view.isOpened || lastSequence(this.#view.messages) < count;
    for (let failures = 0; isBehind() && !signal.aborted; failures++) {
      const error = await (this.#view.isOpened ? this.readNewer() : this.open(count).then(() => this.#view.error));
      if (error !== null && !problemOf(error).retryable) return;
      if (!isBehind()) return;
      const ms = error instanceof Error ? endOfPause(error) - Date.now() : this.#growingMs(failures);
      await pause(Math.max(0, ms), signal);
    }
  }

  /** Reads what is newer than the last known message. Returns why that failed, else null. */
  readNewer(): Promise<unknown> {
    this.#reading ??= this.#readOn().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOn(): Promise<unknown> {
    let error: unknown = null;
    for (let isMore = true; isMore; ) {
      const known = lastSequence(this.#view.messages);
      const page = await this.#read(known, pageSize).catch((failure: unknown) => {
        error = failure;
        return null;
      });
      if (page) this.#add(page.data);
      // A page that does not follow what is known is of no use either.
      isMore = (page?.hasMore ?? false) && lastSequence(this.#view.messages) > known;
    }
    const newerError = error === null || problemOf(error).retryable ? null : error;
    if (newerError !== this.#view.newerError) this.#show({ newerError });
    return error;
  }

  /**
   * Receives events until the agent stops; `onStatus` is called with each status. If the stream cannot be opened, it is
   * tried again until `signal` aborts; meanwhile others read the messages.
   */
  async follow(signal: AbortSignal, onStatus: (status: ChatStatus) => void): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of this.#reader.follow(lastSequence(this.#view.messages), signal)) {
          if (signal.aborted) return;
          if (this.#view.isStreamLost) this.#show({ isStreamLost: false });
          if (event.event === 'message') this.#add([event.data]);
          else if (event.event === 'delta') {
            this.#write(withDelta(this.#open, event.data, lastSequence(this.#view.messages)));
          } else onStatus(event.data.status);
          if (event.event !== 'done') continue;
          this.endText();
          return;
        }
      } catch {
        if (signal.aborted) return;
        this.#show({ isStreamLost: true });
      }
      await pause(this.#pauseMs, signal);
    }
  }

  /** The turn has ended: a text that did not become a message was not stored. */
  endText(): void {
    this.#write(null);
  }
}
