/*
 * Keys of the manual order: hexadecimal digits, compared as text. A todo that was never moved has the digits of its id,
 * which begins with the milliseconds of its creation; a moved one has a key between those of its neighbours.
 */

/** The key of a relation `t` shaped like `todos` in the manual order; indexes hold this expression. */
export const positionColumn = `coalesce(t.position, replace(t.id::text, '-', '')) collate "C"`;

/** Digits of a key at most: longer ones are spread anew. */
export const maxKeyLength = 100;
/** Digits at the beginning of an id that are its time. */
const timeDigits = 12;
/** Room that is left before the first todo, in units of its time: about 17 minutes. */
const stepBefore = 2n ** 20n;

function leading(key: string, digits: number): bigint {
  return BigInt(`0x${key.padEnd(digits, '0').slice(0, digits)}`);
}

/** The shortest key near the middle between two; null when there is none. */
function keyBetween(lower: string, upper: string): string | null {
  const longest = Math.max(lower.length, upper.length) + 1;
  for (let digits = 1; digits <= longest; digits++) {
    const first = leading(lower, digits) + 1n;
    // What `upper` continues is less than it.
    const last = leading(upper, digits) - (digits < upper.length ? 0n : 1n);
    if (first > last) continue;
    const key = ((first + last) / 2n).toString(16).padStart(digits, '0');
    return key > lower && key < upper ? key : null;
  }
  return null;
}

/** What keys after the last one are less than: todos that are created from now on come after them. */
function endAfter(lower: string, now: Date): string {
  const time = now.getTime().toString(16).padStart(timeDigits, '0');
  return time > lower ? time : `${lower}f`;
}

/**
 * A key between those of two neighbours, of which the first or the last todo has one.
 * Null when there is no key of at most `maxKeyLength` digits.
 */
export function keyFor(lower: string | undefined, upper: string | undefined, now: Date): string | null {
  if (lower === undefined && upper !== undefined) {
    const before = leading(upper, timeDigits) - stepBefore;
    if (before > 0n) return before.toString(16).padStart(timeDigits, '0').replace(/0+$/, '');
  }
  const key = keyBetween(lower ?? '', upper ?? endAfter(lower ?? '', now));
  return key !== null && key.length <= maxKeyLength ? key : null;
}

/** `count` keys between two neighbours, in their order. Null when there is no room for all of them. */
export function spreadKeys(
  lower: string | undefined,
  upper: string | undefined,
  count: number,
  now: Date,
): string[] | null {
  if (count === 0) return [];
  const [start, end] = [lower ?? '', upper ?? endAfter(lower ?? '', now)];
  const middle = keyBetween(start, end);
  if (middle === null || middle.length > maxKeyLength) return null;
  const before = spreadKeys(start, middle, Math.floor((count - 1) / 2), now);
  const after = spreadKeys(middle, end, Math.ceil((count - 1) / 2), now);
  return before && after && [...before, middle, ...after];
}
