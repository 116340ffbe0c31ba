import { codePoints } from '../fields.ts';
import { folded } from '../folding.ts';
import { termsOf } from '../todos/search.ts';

/** Longest passage in UTF-16 code units: a transcript may be one line. */
const longest = 500;

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
  while (rest.length > longest) {
    const space = rest.lastIndexOf(' ', longest);
    const cut = space > longest / 2 ? space + 1 : longest;
    // Not between the halves of one character.
    const end = /[\ud800-\udbff]/.test(rest[cut - 1] ?? '') ? cut - 1 : cut;
    yield rest.slice(0, end);
    rest = rest.slice(end);
  }
  yield rest;
}

/** The text in passages, without leaving anything out. */
function* passagesOf(text: string): Generator<Passage> {
  let offset = 0;
  let start = 0;
  for (const { index, 0: end } of [...text.matchAll(ends), { index: text.length, 0: '' }]) {
    for (const part of parts(text.slice(start, index + end.length))) {
      yield { text: part, offset };
      offset += codePoints(part);
    }
    start = index + end.length;
  }
}

/**
 * Where the first passage begins, in code points and at or behind `from`, that says most of the words of `query`,
 * ignoring case; undefined when none says any.
 */
export function placeOf(text: string, query: string, from = 0): number | undefined {
  const terms = termsOf(query);
  let best: { score: number; offset: number } | undefined;
  for (const passage of passagesOf(text)) {
    if (passage.offset < from) continue;
    const said = folded(passage.text);
    const score = terms.filter((term) => said.includes(term)).length;
    if (score > (best?.score ?? 0)) best = { score, offset: passage.offset };
    if (score === terms.length) break;
  }
  return best?.offset;
}
