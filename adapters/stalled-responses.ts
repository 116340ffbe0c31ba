import type { ServerResponse } from 'node:http';

/** A client that takes nothing of its response for so long is disconnected. */
const limitMs = 60_000;
const checkMs = 15_000;

/** How much of a response was taken, and since when no more was. */
interface Progress {
  taken: number;
  since: number;
}

/**
 * Ends responses that wait for a client which reads nothing: nothing else would, and each holds a connection and what it
 * reads from. One timer for all of them, as a process has thousands.
 */
export class StalledResponses {
  readonly #watched = new Map<ServerResponse, Progress>();
  #timer: NodeJS.Timeout | undefined;

  /** Watches a response until it is closed. */
  watch(response: ServerResponse): void {
    if (response.destroyed || response.closed || this.#watched.has(response)) return;
    this.#watched.set(response, { taken: -1, since: performance.now() });
    this.#timer ??= setInterval(() => this.check(performance.now()), checkMs).unref();
    response.once('close', () => {
      this.#watched.delete(response);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Ends the responses of which something has waited for a minute before `now`, in ms of `performance.now`. */
  check(now: number): void {
    for (const [response, progress] of this.#watched) {
      // What the system has taken: all that was written to the connection but what waits in the process.
      const taken = (response.socket?.bytesWritten ?? 0) - (response.socket?.writableLength ?? 0);
      const isWaiting = response.writableLength > 0 && taken === progress.taken;
      if (!isWaiting) Object.assign(progress, { taken, since: now });
      else if (now - progress.since >= limitMs) response.destroy();
    }
  }
}

/** Those of this process. */
export const stalledResponses = new StalledResponses();
