/**
 * An instant on both clocks of this machine: the one that never goes back stands still while the machine sleeps, the
 * other one may be set.
 */
export interface Moment {
  monotonic: number;
  wall: number;
}

export function moment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds since then, by the clock that says more. */
export function msSince({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
