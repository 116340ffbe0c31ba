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
  const words: Word[] = [];
  for (const { segment, isWordLike } of segmenter.segment(sentence)) if (isWordLike) words.push(wordOf(segment));
  return words;
}

const syllabic = /^[\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]/u;
const numeral = /^[〇一二三四五六七八九十百千万億亿円元]+$/u;

/** Whether a word says something of what a text is about: no number, nothing very short, no stop word. */
export function isTelling({ key }: Word): boolean {
  return !stopWords.has(key) && /\p{L}/u.test(key) && (key.length > 2 || syllabic.test(key)) && !numeral.test(key);
}
