import type { RawSegment } from './raw-segment.ts';

/** A pause of so many seconds between two words begins something new. */
const pauseSeconds = 1;

/** Where each word begins in the text; nothing when one of them is not there. */
function placesOf(words: readonly RawSegment[], text: string): number[] | undefined {
  const places: number[] = [];
  let from = 0;
  for (const { text: word } of words) {
    const at = text.indexOf(word.trim(), from);
    if (at < 0) return undefined;
    places.push(at);
    from = at + word.trim().length;
  }
  return places;
}

/**
 * Joins words by speaker, up to a pause. Their punctuation is in the whole `text` alone (OpenAI
 * leaves it out of the words), so where that is given the result is cut out of it.
 */
export function joinWords(words: readonly RawSegment[], text: string): RawSegment[] {
  const begins = words.flatMap((word, at) => {
    const before = words[at - 1];
    if (!before || word.speaker !== before.speaker) return [at];
    const gap = (word.start ?? 0) - (before.end ?? before.start ?? Number.POSITIVE_INFINITY);
    return gap >= pauseSeconds ? [at] : [];
  });
  const places = text === '' ? undefined : placesOf(words, text);
  const spaced = words.some((word) => /^\s|\s$/.test(word.text));
  return begins.map((begin, n) => {
    const next = begins[n + 1] ?? words.length;
    const group = words.slice(begin, next);
    const cut = places && text.slice(n === 0 ? 0 : places[begin], places[next] ?? text.length);
    return {
      start: words[begin]?.start ?? null,
      end: group.at(-1)?.end ?? null,
      speaker: words[begin]?.speaker ?? null,
      text: cut ?? group.map((word) => word.text).join(spaced ? '' : ' '),
    };
  });
}
