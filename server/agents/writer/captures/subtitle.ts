import { shortened } from '../plain-text.ts';
import { inTurns } from './in-turns.ts';
import type { Reading } from './passages.ts';
import { longestOfCapture } from './shapes.ts';
import { hasName } from './speakers.ts';
import type { Sentence } from './telling.ts';
import { work } from './verbs.ts';
import { isTelling, type Word } from './words.ts';

const mostTopics = 3;

interface Topic {
  written: string;
  keys: string[];
  /** Sentences that it stands in. */
  count: number;
}

const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** The telling words of a sentence, and the pairs of them that stand side by side, by their keys. */
function topicsIn({ words }: Sentence, { names }: Reading): Map<string, Omit<Topic, 'count'>> {
  const found = new Map<string, Omit<Topic, 'count'>>();
  let before: Word | undefined;
  for (const word of words) {
    const isTopic = isTelling(word) && word.key.length > 1 && !names.isPart(word.written);
    const isVerb = work.has(word.key);
    if (isTopic && !isVerb) found.set(word.key, { written: word.written, keys: [word.key] });
    // “Team plan”: behind another word a verb is a noun.
    if (isTopic && before) {
      const written = `${before.written}${withoutSpaces.test(word.written) ? '' : ' '}${word.written}`;
      found.set(`${before.key} ${word.key}`, { written, keys: [before.key, word.key] });
    }
    before = isTopic && !isVerb ? word : undefined;
  }
  return found;
}

/** The words, and pairs of words, that stand in the most sentences, as they are written there. */
async function topicsOf(sentences: readonly Sentence[], reading: Reading, signal: AbortSignal): Promise<string[]> {
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
    if (chosen.length >= mostTopics) break;
    if (keys.some((key) => used.has(key)) || written.length > 40) continue;
    for (const key of keys) used.add(key);
    chosen.push(written);
  }
  return chosen;
}

function enumerated(names: readonly string[]): string {
  if (names.length <= 1) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function whoSpeaks(speakers: readonly string[]): string {
  if (speakers.length === 0) return '';
  if (!speakers.every(hasName)) return speakers.length === 1 ? '' : `${speakers.length} speakers`;
  if (speakers.length <= 3) return enumerated(speakers);
  return enumerated([...speakers.slice(0, 2), `${speakers.length - 2} others`]);
}

/** Who speaks, what the most sentences are about, and how long it is: facts alone. Null where there are no words. */
export async function subtitleOf(
  reading: Reading,
  sentences: readonly Sentence[],
  wordCount: number,
  signal: AbortSignal,
): Promise<string | null> {
  if (wordCount === 0) return null;
  const topics = await topicsOf(sentences, reading, signal);
  const count = `${wordCount.toLocaleString('en-US')} ${wordCount === 1 ? 'word' : 'words'}`;
  const parts = [whoSpeaks(reading.speakers), topics.join(', '), count].filter(Boolean);
  return shortened(parts.join(' · '), longestOfCapture.subtitle);
}
