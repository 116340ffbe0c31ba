import type { Claimed, LeasedRow } from './leases.ts';

const first = '00000000-0000-0000-0000-000000000000';

/** Whether the way from one workspace on to another, in the order of their ids and round, comes by a third. */
function passes(from: string, to: string, other: string): boolean {
  const isAfter = other > from;
  const isBefore = other <= to;
  return from < to ? isAfter && isBefore : isAfter || isBefore;
}

/**
 * The place of a process in the ring of workspaces: its next claim begins after it. It moves on also when nothing was
 * claimed, as the work of the workspaces next in the ring may be locked, or due and not yet eligible.
 */
export class Ring {
  #after = first;
  /** Where the workspaces without anything to claim began. */
  #emptyFrom: string | null = null;

  get after(): string {
    return this.#after;
  }

  /** Moves on after a claim. Returns whether there may be workspaces that were not looked at in this round. */
  advance({ claims, reached }: Pick<Claimed<LeasedRow>, 'claims' | 'reached'>): boolean {
    const from = this.#after;
    const claimed = claims.at(-1)?.workspaceId;
    this.#after = claimed ?? reached ?? from;
    if (claimed !== undefined || reached === null) {
      this.#emptyFrom = null;
      return reached !== null;
    }
    this.#emptyFrom ??= from;
    const isRound = from !== this.#emptyFrom && passes(from, reached, this.#emptyFrom);
    if (isRound) this.#emptyFrom = null;
    return !isRound;
  }
}
