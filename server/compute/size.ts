/**
 * Work on less than this takes some 20 ms at most, whatever the text. Counted in characters; each value that is not a
 * text counts as 20.
 */
const maxSize = 8000;
const sizeOfValue = 20;

/**
 * Whether values are so small that the work on them can be done in this process: fewer than `max` characters, where
 * each value that is not a text counts as 20. Stops counting at `max`.
 */
export function isSmall(value: unknown, max = maxSize): boolean {
  let left = max;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && left >= 0) {
    const each = waiting.pop();
    left -= typeof each === 'string' ? each.length : sizeOfValue;
    if (typeof each !== 'object' || each === null) continue;
    for (const part of Object.values(each)) {
      waiting.push(part);
      if (waiting.length * sizeOfValue > max) return false;
    }
  }
  return left >= 0;
}
