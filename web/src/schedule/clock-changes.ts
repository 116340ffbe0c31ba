import type { TandemOutputs } from 'tandem/client';
import { timeLabel } from '../quick-add/labels.ts';
import { asUtc, offsetAt, timeOf, wallTimeAt } from '../quick-add/zoned.ts';

/* What the changes of the clocks do to the next times of a schedule, in sentences. */

type Times = Pick<TandemOutputs['todos']['previewSchedule'], 'rrule' | 'timezone' | 'upcomingRuns'>;

const dayMs = 86_400_000;

/** Milliseconds as “1 hour” or “30 minutes”. */
function lengthOf(ms: number): string {
  const minutes = Math.abs(ms) / 60_000;
  if (minutes % 60 !== 0) return `${minutes} minutes`;
  return minutes === 60 ? '1 hour' : `${minutes / 60} hours`;
}

/** The time of day of a rule, `HH:MM`; null where it names none or several. */
function timeNamed(rrule: string | null): string | null {
  const [hour, minute] = ['BYHOUR', 'BYMINUTE'].map(
    (name) => new RegExp(`${name}=(\\d+)(?:;|$)`).exec(rrule ?? '')?.[1],
  );
  return hour === undefined || minute === undefined ? null : `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

/** What happens to one time on the night of a change: the clocks skip it, or show it twice. */
function noteOn(instant: number, label: string, { rrule, timezone }: Times): string | null {
  const wall = wallTimeAt(instant, timezone);
  const named = timeNamed(rrule);
  const back = offsetAt(instant - dayMs, timezone) - offsetAt(instant + dayMs, timezone);
  if (back < 0 && named !== null && named !== timeOf(wall))
    return `${label}: there is no ${named} on this day, because the clocks go forward.`;
  if (back > 0 && asUtc(wallTimeAt(instant + back, timezone)) === asUtc(wall))
    return `${label}: the clocks show this time twice, and the first one counts.`;
  return null;
}

/** A sentence for each change of the clocks that the next times of a schedule meet. `now`: milliseconds since 1970. */
export function clockNotes(times: Times, now: number): string[] {
  const { timezone, upcomingRuns } = times;
  let before = offsetAt(now, timezone);
  return upcomingRuns.flatMap((at) => {
    const instant = Date.parse(at);
    const label = timeLabel(at, timezone);
    const change = offsetAt(instant, timezone) - before;
    before += change;
    const way = change > 0 ? 'forward' : 'back';
    const changed = `Before ${label}, the clocks of ${timezone} go ${way} by ${lengthOf(change)}.`;
    return [...(change === 0 ? [] : [changed]), noteOn(instant, label, times) ?? []].flat();
  });
}
