/** Beats whose times are remembered: ten minutes of two in a second. */
const maxBeats = 1200;

/**
 * How old the data of a standby may be, by this process's own clock. A beat is a number that the process writes on the
 * primary. A standby that shows the beat has everything that was acknowledged before the beat was sent. So neither the
 * clocks of the servers nor the amount of writes on the primary matter, and a server that no longer follows this
 * primary gets no new beat.
 */
export class Freshness {
  readonly #sentAt = new Map<number, number>();
  #last = 0;
  #freshAt: number | undefined;

  /** The next beat, which is sent now (in ms of a monotonic clock). */
  send(now: number): number {
    const beat = ++this.#last;
    this.#sentAt.set(beat, now);
    this.#sentAt.delete(beat - maxBeats);
    return beat;
  }

  /** Notes the beat that the standby shows; null where it shows none. An older one than before counts as well. */
  found(beat: number | null): void {
    this.#freshAt = beat === null ? undefined : this.#sentAt.get(beat);
  }

  /**
   * The largest age in ms that the data of the standby may have; undefined while it is not known or above ten minutes.
   */
  age(now: number): number | undefined {
    return this.#freshAt === undefined ? undefined : now - this.#freshAt;
  }
}
