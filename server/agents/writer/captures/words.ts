import { stopWords } from './stop-words.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** A word as it is counted, and as it is written. */
export interface Word {
  key: string;
  written: string;
}

/** The words of a sentence, in any language and script. */
export function wordsOf(sentence: string): Word[] {
  const words: Word[] = [];
  for (const { segment, isWordLike } of segmenter.segment(sentence))
    if (isWordLike) words.push({ key: segment.toLowerCase().replaceAll('’', "'"), written: segment });
  return words;
}

const alone = /^[\p{sc=Han}\p{sc=Hangul}]$/u;

/** Whether a word says something of what a text is about: no number, no letter alone, no stop word. */
export function isTelling({ key }: Word): boolean {
  return (
    !stopWords.has(key) &&
    /\p{L}/u.test(key) &&
    (key.length > 2 || (key.length === 2 && !/^[a-z]+$/.test(key)) || alone.test(key))
  );
}
