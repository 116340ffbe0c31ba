import type { Timing } from './clock.ts';

/** A cue with the lines that it shows. */
export interface Shown extends Timing {
  lines: string[];
  /** Whether its words are shown one by one, by times within the text. */
  growing: boolean;
}

/** Lines of captions that are on a screen at once, at most. */
const maxLines = 4;

/** What follows a cue within this time rolls on from it, and a cue this short is too short to be read. */
const maxPauseMs = 500;
const maxFlashMs = 100;

/** How many of the first lines of `now` are the last ones of `before`. */
function repeated(before: Shown, now: Shown): number {
  if (now.startMs - before.endMs > maxPauseMs) return 0;
  let most = Math.min(maxLines, before.lines.length, now.lines.length);
  const isTail = (count: number) =>
    now.lines.slice(0, count).every((line, index) => line === before.lines[before.lines.length - count + index]);
  while (most > 0 && !isTail(most)) most -= 1;
  return most;
}

/**
 * How many first lines of each cue only repeat the cue before it, as captions do that roll up (YouTube's, and those
 * made from broadcasts). All are 0 unless the file shows that it rolls: cues that repeat a line and add one, or flash
 * a line again, twice or with words that grow, and not fewer such than cues of several lines that repeat nothing.
 * So “Yes.” that is spoken twice stays twice.
 */
export function rolledLines(cues: readonly Shown[]): number[] {
  const counts: number[] = [];
  let rolls = 0;
  let others = 0;
  for (const [index, now] of cues.entries()) {
    const before = cues[index - 1];
    const count = before ? repeated(before, now) : 0;
    const isFlash = count === now.lines.length && now.endMs - now.startMs <= maxFlashMs;
    if (count > 0 && (count < now.lines.length || isFlash)) rolls += 1;
    else if (before && now.lines.length > 1) others += 1;
    counts.push(count);
  }
  const rolling = rolls >= others && (rolls >= 2 || (rolls === 1 && cues.some((cue) => cue.growing)));
  return rolling ? counts : counts.map(() => 0);
}
