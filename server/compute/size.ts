/** Work on less than this takes some 20 ms at most, whatever the text: characters, and 20 for each value that is none. */
const maxSize = 8000;
const sizeOfValue = 20;

/**
 * Whether values are so small that work on them need not leave the process: less than `max` characters, and 20 for each
 * value that is not a text. Looks no further than that.
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
