/** Damerau–Levenshtein distance: insert, delete, replace, or swap two neighbours. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = swaps ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

/** The name nearest to what was typed; undefined when none is close. */
export function closest(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, edits: name.startsWith(typed) && typed.length > 1 ? 0.5 : distance(typed, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(name.length, typed.length) / 3)));
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}
