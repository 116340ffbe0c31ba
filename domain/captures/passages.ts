import { codePoints } from '../fields.ts';
import { termsOf } from '../search.ts';
import { turnTaker } from '../slices.ts';
import { folded } from '../text.ts';

/** In UTF-16 code units: a transcript may be one line. */
const maxPassageLength = 500;

/** A sentence or line of a text. */
interface Passage {
  text: string;
  /** Where it begins, in code points. */
  offset: number;
}

const ends = /\n+|(?<=[.!?…。！？])\s+(?=[\p{Lu}\p{Lo}\p{N}])|(?<=[。！？])/gu;

/** A long piece in parts that end between words where that is possible. */
function* parts(piece: string): Generator<string> {
  let rest = piece;
  while (rest.length > maxPassageLength) {
    const space = rest.lastIndexOf(' ', maxPassageLength);
    const cut = space > maxPassageLength / 2 ? space + 1 : maxPassageLength;
    // Not between the halves of one character.
    const end = /[\ud800-\udbff]/.test(rest[cut - 1] ?? '') ? cut - 1 : cut;
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield rest;
}

/** All of the text in passages. */
function* passagesOf(text: string): Generator<Passage> {
  let offset = 0;
  let start = 0;
  for (const { index, 0: end } of text.matchAll(ends)) {
    for (const part of parts(text.slice(start, index + end.length))) {
      yield { text: part, offset };
      offset += codePoints(part);
    }
    start = index + end.length;
  }
  for (const part of parts(text.slice(start))) {
    yield { text: part, offset };
    offset += codePoints(part);
  }
}

/**
 * Passages that are looked at before others get a turn: it takes longer to read the clock than to look at a short one.
 */
const passagesAtOnce = 100;

/**
 * The offset of the passage with most words of `query`, ignoring case, in code points: the first of them that begins at
 * or behind `from`. Undefined when none has any. A long text is searched in slices of the event loop.
 */
export async function placeOf(content: string, query: string, from = 0): Promise<number | undefined> {
  const takeTurn = turnTaker();
  let seen = 0;
  const terms = termsOf(query);
  let best: { score: number; offset: number } | undefined;
  for (const passage of passagesOf(content)) {
    if (++seen % passagesAtOnce === 0) await takeTurn();
    if (passage.offset < from) continue;
    const text = folded(passage.text);
    const score = terms.filter((term) => text.includes(term)).length;
    if (score > (best?.score ?? 0)) best = { score, offset: passage.offset };
    if (score === terms.length) break;
  }
  return best?.offset;
}
