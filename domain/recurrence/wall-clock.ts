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
 * If a zone has the same offset at both ends of so many days, it is assumed not to change between. No zone changed its
 * clocks and back within a shorter time since 1940; the shortest periods are seven days (Brazil in 2000, Gaza in 2040).
 */
const spanMs = 4 * dayMs;
/** Spans whose offsets are cached together, and of how many a zone remembers them: 140 years. */
const spansPerBlock = 128;
const maxBlocks = 100;
/** In place of an offset in seconds: it changes in the span; it was not asked for yet. */
const [changing, unknown] = [2 ** 31 - 2, 2 ** 31 - 1];
/** Zone → block → the offset in each of its spans, in seconds. */
const offsets = new Map<string, Map<number, Int32Array>>();

function blockOf(timezone: string, block: number): Int32Array {
  let blocks = offsets.get(timezone);
  const known = blocks?.get(block);
  if (known) return known;
  if (!blocks || blocks.size === maxBlocks) {
    blocks = new Map();
    offsets.set(timezone, blocks);
  }
  const made = new Int32Array(spansPerBlock).fill(unknown);
  blocks.set(block, made);
  return made;
}

/**
 * Milliseconds that the zone is ahead of UTC. Intl takes microseconds per call, so the offset of some days is cached.
 */
function offsetAt(instant: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const span = Math.floor(instant / spanMs);
  const first = Math.floor(span / spansPerBlock) * spansPerBlock;
  const block = blockOf(timezone, first);
  let seconds = block[span - first] ?? changing;
  if (seconds === unknown) {
    const begin = formattedOffset(span * spanMs, timezone);
    seconds = begin === formattedOffset((span + 1) * spanMs, timezone) ? begin / 1000 : changing;
    block[span - first] = seconds;
  }
  return seconds === changing ? formattedOffset(instant, timezone) : seconds * 1000;
}

/**
 * The wall time of an IANA zone at an instant (milliseconds since 1970), to the second: the same kind of number, as if
 * the wall clock were UTC.
 */
export function wallClockAt(instant: number, timezone: string): number {
  return Math.floor(instant / 1000) * 1000 + offsetAt(instant, timezone);
}

/**
 * The instant of a wall time of a zone (a number as `wallClockAt` returns it). A wall time that is skipped in spring
 * moves forward by the gap; of one that is repeated in autumn the first is used (CONTRACT §5). Reminders have the same
 * rule in SQL (domain/todos/reminder-instants.ts), because one statement changes todos and their reminders: change
 * both.
 */
export function instantOf(wall: number, timezone: string): number {
  const before = offsetAt(wall - dayMs, timezone);
  const after = offsetAt(wall + dayMs, timezone);
  const shows = (offset: number) => offsetAt(wall - offset, timezone) === offset;
  return !shows(before) && shows(after) ? wall - after : wall - before;
}
