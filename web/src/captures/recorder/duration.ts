/* Durations: measured and formatted. */

/** Measures running time without pauses, in ms. */
export function createStopwatch() {
  let before = 0;
  let since: number | null = null;
  const elapsedMs = () => before + (since === null ? 0 : performance.now() - since);
  return {
    elapsedMs,
    /** Starts or pauses it. */
    run: (isRunning: boolean) => {
      if (isRunning === (since !== null)) return;
      before = elapsedMs();
      since = isRunning ? performance.now() : null;
    },
    /** Resets it to a value, paused. */
    set: (ms: number) => {
      before = ms;
      since = null;
    },
  };
}

/** A duration as `h:mm:ss`: `0:07`, `12:30`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A duration in words, rounded: `7 seconds`, `12 minutes`, `1 hour 2 minutes`. */
export function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const many = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (seconds < 60) return many(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return many(minutes, 'minute');
  const rest = minutes % 60;
  return [many(Math.floor(minutes / 60), 'hour'), ...(rest > 0 ? [many(rest, 'minute')] : [])].join(' ');
}
