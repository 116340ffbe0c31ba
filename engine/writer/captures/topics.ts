import { inTurns } from './in-turns.ts';
import type { Reading } from './passages.ts';
import type { Sentence } from './salience.ts';
import { work } from './verbs.ts';
import { isSalient, type Word } from './words.ts';

const maxTopics = 3;

interface Topic {
  written: string;
  keys: string[];
  /** The number of its sentences. */
  count: number;
}

const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** The salient words of a sentence, and the pairs of them that stand side by side, by their keys. */
function topicsIn({ words }: Sentence, { names }: Reading): Map<string, Omit<Topic, 'count'>> {
  const found = new Map<string, Omit<Topic, 'count'>>();
  let before: Word | undefined;
  for (const word of words) {
    const isTopic = isSalient(word) && word.key.length > 1 && !names.isPart(word.written);
    const isVerb = work.has(word.key);
    if (isTopic && !isVerb) found.set(word.stem, { written: word.written, keys: [word.stem] });
    // “Team plan”: behind another word a verb is a noun.
    if (isTopic && before) {
      const written = `${before.written}${withoutSpaces.test(word.written) ? '' : ' '}${word.written}`;
      found.set(`${before.stem} ${word.stem}`, { written, keys: [before.stem, word.stem] });
    }
    before = isTopic && !isVerb ? word : undefined;
  }
  return found;
}

/**
 * The words, and pairs of words, of the most sentences, three at most, as they are written there.
 * @throws the signal's reason, when it is aborted.
 */
export async function topicsOf(
  sentences: readonly Sentence[],
  reading: Reading,
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Map<string, Topic>();
  await inTurns(sentences, signal, (sentence) => {
    for (const [key, each] of topicsIn(sentence, reading)) {
      const known = found.get(key);
      if (known) known.count++;
      else found.set(key, { count: 1, ...each });
    }
  });
  const weight = ({ count, keys }: Topic) => count * (keys.length === 2 ? 1.8 : 1);
  const often = [...found.values()].filter(({ count }) => count > 1).sort((a, b) => weight(b) - weight(a));
  const chosen: string[] = [];
  const used = new Set<string>();
  for (const { written, keys } of often) {
    if (chosen.length >= maxTopics) break;
    if (keys.some((key) => used.has(key)) || written.length > 40) continue;
    for (const key of keys) used.add(key);
    chosen.push(written);
  }
  return chosen;
}
