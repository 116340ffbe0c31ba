/** How long a workspace is left out, in milliseconds. */
const defaultPauseMs = 10_000;

/** Does one thing that is due in a workspace, and calls `add` when that waited too long. */
type Fire = (workspaceId: string) => Promise<unknown>;

/**
 * Workspaces in which a transaction waited too long for a lock of somebody. They are left out of the next looks, so
 * that the others are served, and are tried separately: otherwise what is due first would be tried first each time, and
 * delay all the rest.
 */
export class HeldWorkspaces {
  /** When each is tried again, in ms of the monotonic clock. */
  readonly #held = new Map<string, number>();
  readonly #fire: Fire;
  readonly #pauseMs: number;
  #trying: Promise<void> | undefined;

  constructor(fire: Fire, pauseMs = defaultPauseMs) {
    this.#fire = fire;
    this.#pauseMs = pauseMs;
  }

  get ids(): string[] {
    return [...this.#held.keys()];
  }

  add(workspaceId: string): void {
    this.#held.set(workspaceId, performance.now() + this.#pauseMs);
  }

  /** Begins to try those whose pause is over, one after the other. */
  tryAgain(): void {
    if (this.#held.size === 0) return;
    this.#trying ??= this.#tryAll().finally(() => {
      this.#trying = undefined;
    });
  }

  /** Resolves when none is being tried. */
  async ended(): Promise<void> {
    await this.#trying;
  }

  async #tryAll(): Promise<void> {
    for (const [id, since] of [...this.#held]) {
      if (performance.now() < since) continue;
      await this.#fire(id).catch(() => {});
      // Unless it has waited again, it is served with the others, and fails with them.
      if (this.#held.get(id) === since) this.#held.delete(id);
    }
  }
}
