/* Texts compared line by line: what differs, and what two people made of the same text. */

/** A line of a comparison: in both texts, only in the old one, or only in the new one. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines of a comparison that are shown, and how many equal ones are left out between them. */
export type Folded = DiffLine | { kind: 'gap'; count: number };

/** Beyond this many pairs of lines, what differs is one block: the table of pairs would block the page. */
const maxPairs = 4_000_000;
/** Equal lines that are shown around a difference. */
const contextLines = 2;

/** The lines of a text; none of an empty one. */
export function linesOf(text: string | null): string[] {
  return text === null || text === '' ? [] : text.split('\n');
}

/** How many lines from `place` of both on are equal, counted forwards (`step` 1) or backwards (-1). */
function equalFrom(a: readonly string[], b: readonly string[], step: 1 | -1, max: number): number {
  let count = 0;
  const at = (lines: readonly string[]) => lines.at(step === 1 ? count : -1 - count);
  while (count < max && at(a) === at(b)) count++;
  return count;
}

/** Pairs of places of equal lines in both, ascending: a longest common subsequence. */
function matchesOf(a: readonly string[], b: readonly string[]): [number, number][] {
  const head = equalFrom(a, b, 1, Math.min(a.length, b.length));
  const tail = equalFrom(a, b, -1, Math.min(a.length, b.length) - head);
  const [rows, columns] = [a.length - head - tail, b.length - head - tail];
  const matches: [number, number][] = Array.from({ length: head }, (_, place) => [place, place]);
  if (rows * columns <= maxPairs) {
    const width = columns + 1;
    // lengths[i * width + j]: of the longest common subsequence of the lines from i and from j on.
    const lengths = new Uint32Array((rows + 1) * width);
    const length = (i: number, j: number) => lengths[i * width + j] ?? 0;
    const isEqual = (i: number, j: number) => a[head + i] === b[head + j];
    for (let i = rows - 1; i >= 0; i--) {
      for (let j = columns - 1; j >= 0; j--) {
        const best = isEqual(i, j) ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
        lengths[i * width + j] = best;
      }
    }
    for (let i = 0, j = 0; i < rows && j < columns; ) {
      if (isEqual(i, j)) matches.push([head + i++, head + j++]);
      else if (length(i + 1, j) >= length(i, j + 1)) i++;
      else j++;
    }
  }
  for (let place = tail; place > 0; place--) matches.push([a.length - place, b.length - place]);
  return matches;
}

/** The lines of two texts in one order: what was removed stands before what was added instead. */
export function diffOf(before: string | null, after: string | null): DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  for (const [toOld, toNow] of [...matchesOf(old, now), [old.length, now.length] as const]) {
    for (const text of old.slice(i, toOld)) lines.push({ kind: 'removed', text });
    for (const text of now.slice(j, toNow)) lines.push({ kind: 'added', text });
    const same = old[toOld];
    if (same !== undefined) lines.push({ kind: 'same', text: same });
    [i, j] = [toOld + 1, toNow + 1];
  }
  return lines;
}

/** A comparison without the equal lines that are far from a difference. */
export function foldedOf(lines: readonly DiffLine[]): Folded[] {
  const isNear = lines.map((_, place) =>
    lines.slice(Math.max(0, place - contextLines), place + contextLines + 1).some(({ kind }) => kind !== 'same'),
  );
  const folded: Folded[] = [];
  for (const [place, line] of lines.entries()) {
    const last = folded.at(-1);
    if (isNear[place]) folded.push(line);
    else if (last?.kind === 'gap') last.count++;
    else folded.push({ kind: 'gap', count: 1 });
  }
  return folded;
}

function isEqualLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, place) => line === other[place]);
}

/**
 * The text with the changes of both, `mine` and `theirs`, of the same `base`; null where they changed the same or
 * neighbouring lines to something else.
 */
export function mergedTexts(base: string | null, mine: string | null, theirs: string | null): string | null {
  const [lines, myLines, theirLines] = [linesOf(base), linesOf(mine), linesOf(theirs)];
  const myPlaces = new Map(matchesOf(lines, myLines));
  const theirPlaces = new Map(matchesOf(lines, theirLines));
  const merged: string[] = [];
  let from = { base: 0, mine: 0, theirs: 0 };
  for (let place = 0; place <= lines.length; place++) {
    const isEnd = place === lines.length;
    const [myPlace, theirPlace] = isEnd
      ? [myLines.length, theirLines.length]
      : [myPlaces.get(place), theirPlaces.get(place)];
    if (myPlace === undefined || theirPlace === undefined) continue;
    const before = lines.slice(from.base, place);
    const my = myLines.slice(from.mine, myPlace);
    const their = theirLines.slice(from.theirs, theirPlace);
    if (isEqualLines(my, before)) merged.push(...their);
    else if (isEqualLines(their, before) || isEqualLines(my, their)) merged.push(...my);
    else return null;
    if (!isEnd) merged.push(lines[place] ?? '');
    from = { base: place + 1, mine: myPlace + 1, theirs: theirPlace + 1 };
  }
  return merged.join('\n');
}
