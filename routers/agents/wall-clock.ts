const dayMs = 86_400_000;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(timezone, made);
  return made;
}

/**
 * What the clocks of an IANA zone show at an instant (milliseconds since 1970), to the second: the same kind of number,
 * as if the wall clock were UTC.
 */
export function wallClockAt(instant: number, timezone: string): number {
  const parts = formatterOf(timezone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** Milliseconds that the clocks of the zone are ahead of UTC. */
function offsetAt(instant: number, timezone: string): number {
  return wallClockAt(instant, timezone) - Math.floor(instant / 1000) * 1000;
}

/**
 * The instant at which the clocks of a zone show `wall` (a number as `wallClockAt` gives it). A time that is skipped in
 * spring moves forward by the gap; one that comes twice in autumn is the first (CONTRACT §5).
 */
export function instantOf(wall: number, timezone: string): number {
  const before = offsetAt(wall - dayMs, timezone);
  const after = offsetAt(wall + dayMs, timezone);
  const shows = (offset: number) => offsetAt(wall - offset, timezone) === offset;
  return !shows(before) && shows(after) ? wall - after : wall - before;
}
