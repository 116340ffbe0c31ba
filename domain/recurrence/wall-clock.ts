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

function formattedWallClock(instant: number, timezone: string): number {
  const parts = formatterOf(timezone).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

function formattedOffset(instant: number, timezone: string): number {
  return formattedWallClock(instant, timezone) - Math.floor(instant / 1000) * 1000;
}

/**
 * Days in UTC between which a zone keeps an offset that it has at both ends. Clocks that were changed and changed back
 * sooner are not known since 1940; the shortest times are seven days (Brazil in 2000, Gaza in 2040).
 */
const spanMs = 4 * dayMs;
/** Zone → span of days in UTC → the offset in it; NaN when it changes. */
const offsets = new Map<string, Map<number, number>>();
/** Spans in the cache of one zone: 55 years. */
const maxSpans = 5000;

function spansOf(timezone: string): Map<number, number> {
  const known = offsets.get(timezone);
  if (known && known.size < maxSpans) return known;
  const made = new Map<number, number>();
  offsets.set(timezone, made);
  return made;
}

/** Milliseconds that the zone is ahead of UTC. Intl takes microseconds per call, so the offset of some days is cached. */
function offsetAt(instant: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const spans = spansOf(timezone);
  const span = Math.floor(instant / spanMs);
  let offset = spans.get(span);
  if (offset === undefined) {
    const begin = formattedOffset(span * spanMs, timezone);
    offset = begin === formattedOffset((span + 1) * spanMs, timezone) ? begin : Number.NaN;
    spans.set(span, offset);
  }
  return Number.isNaN(offset) ? formattedOffset(instant, timezone) : offset;
}

/**
 * The wall time of an IANA zone at an instant (milliseconds since 1970), to the second: the same kind of number, as if
 * the wall clock were UTC.
 */
export function wallClockAt(instant: number, timezone: string): number {
  return Math.floor(instant / 1000) * 1000 + offsetAt(instant, timezone);
}

/**
 * The instant of a wall time of a zone (a number as `wallClockAt` returns it). A wall time that is skipped in spring moves
 * forward by the gap; of one that is repeated in autumn the first is used (CONTRACT §5).
 */
export function instantOf(wall: number, timezone: string): number {
  const before = offsetAt(wall - dayMs, timezone);
  const after = offsetAt(wall + dayMs, timezone);
  const shows = (offset: number) => offsetAt(wall - offset, timezone) === offset;
  return !shows(before) && shows(after) ? wall - after : wall - before;
}
