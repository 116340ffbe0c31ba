import { stopWords } from './stop-words.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** A word in lower case, as it is counted, and as it is written. */
export interface Word {
  key: string;
  /** One and several, and whose it is, count alike: “ticket”, “tickets”, “ticket’s”. */
  stem: string;
  written: string;
}

const plural = /^(\p{sc=Latin}{3,}?)(?<![siu])(?:'s|s'|s)$/u;

function wordOf(written: string): Word {
  const key = written.toLowerCase().replaceAll('’', "'");
  return { key, stem: plural.exec(key)?.[1] ?? key, written };
}

/** The words of a sentence, in any language and script. */
export function wordsOf(sentence: string): Word[] {
  return wordsOfEach([sentence])[0] ?? [];
}

/**
 * The words of each sentence. Short ones take a fifth of the time that they take one by one: a call
 * of the segmenter costs more than a word. A line break ends a word in all scripts (UAX #29 WB3a).
 */
export function wordsOfEach(sentences: readonly string[]): Word[][] {
  const found: Word[][] = sentences.map(() => []);
  const ends: number[] = [];
  let length = 0;
  for (const { length: own } of sentences) {
    length += own + 1;
    ends.push(length);
  }
  let place = 0;
  for (const { segment, index, isWordLike } of segmenter.segment(sentences.join('\n'))) {
    while (index >= (ends[place] ?? Number.POSITIVE_INFINITY)) place += 1;
    if (isWordLike) found[place]?.push(wordOf(segment));
  }
  return found;
}

const syllabic = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]/u;
const numeral = /^[〇一二三四五六七八九十百千万億亿円元]+$/u;

/** Whether a word may indicate what a text is about: no number, nothing very short, no stop word. */
export function isSalient({ key }: Word): boolean {
  return !stopWords.has(key) && /\p{L}/u.test(key) && (key.length > 2 || syllabic.test(key)) && !numeral.test(key);
}
