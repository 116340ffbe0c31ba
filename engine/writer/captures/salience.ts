import { inTurns } from './in-turns.ts';
import type { Passage } from './passages.ts';
import { isSalient, type Word, wordsOfEach } from './words.ts';

/** A sentence with what is needed to judge it. */
export interface Sentence {
  source: Passage['source'];
  speaker: string | null;
  text: string;
  words: Word[];
  /** Salient words, each once. */
  terms: Set<string>;
}

type Quotable = Pick<Sentence, 'source' | 'speaker' | 'text'>;

/** Sentences whose words are read together: few enough to stay far below a slice of the event loop. */
const batchSize = 50;

function* batchesOf(sentences: readonly Quotable[]): Generator<Quotable[]> {
  for (let from = 0; from < sentences.length; from += batchSize) yield sentences.slice(from, from + batchSize);
}

/**
 * All sentences of the material that may be quoted, in their order. @throws the signal's reason, when it is aborted.
 */
export async function sentencesIn(passages: readonly Passage[], signal: AbortSignal): Promise<Sentence[]> {
  const quotable = passages.flatMap(({ source, speaker, mark, sentences }) =>
    mark === 'heading' || mark === 'table' ? [] : sentences.map((text) => ({ source, speaker, text })),
  );
  const found: Sentence[] = [];
  await inTurns(batchesOf(quotable), signal, (batch) => {
    for (const [place, words] of wordsOfEach(batch.map(({ text }) => text)).entries()) {
      const each = batch[place] as Quotable;
      found.push({ ...each, words, terms: new Set(words.filter(isSalient).map(({ stem }) => stem)) });
    }
  });
  return found;
}

/** The number of sentences of each salient word. */
export function frequencies(sentences: readonly Sentence[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of sentences) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

const decided =
  /\b(?:decided|decision|agreed|concluded|approved|settled on|resolved to|signed off|go with|going with|beschlossen|entschieden|vereinbart|geeinigt|décidé|convenu|décision|approuvé|decidido|decidimos|acordamos|acordado|decisión|decisão|combinamos|deciso|concordato|besloten|afgesproken|beslutade|решили|договорились)(?![\p{L}])|решили|договорились|决定|決定|决議|商定|同意|決めました|合意|결정|합의|قررنا|اتفقنا|निर्णय|तय किया|ตัดสินใจ|ตกลงว่า|החלטנו/iu;
const undecided = /\b(?:not|never|(?:have|has|did|is)n['’]t|yet to|nicht|noch|pas|sin|non|niet)\b|[?？]\s*$/iu;
const greeting =
  /^(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening)|thanks|thank you|bye|goodbye|see you|can you hear|can everyone|sorry|hallo|guten|danke|tschüss|bonjour|merci|hola|gracias|buenos|ciao|grazie|olá|obrigad[oa]|dag|bedankt)(?!\p{L})|^(?:こんにちは|よろしく|大家好|谢谢)/iu;

const corrects =
  /^(?:correct(?:ion|ed)|corrigend\p{L}*|errat\p{L}*|korrektur|berichtigung|correctif|rectificat\p{L}*|corrección|correzione|correção|correctie|исправление|更正|訂正)(?!\p{L})/iu;

/** Whether a sentence corrects another text. */
export function isCorrection({ text }: Sentence): boolean {
  return corrects.test(text);
}

/** Sentences of speakers about themselves. */
const aside =
  /^(?:to be honest|i(?:['’]m|['’]ve| am| have| was| had| think| guess| feel| love| hate)?|me|my)(?!\p{L})/iu;

/** Whether a sentence is a greeting, thanks or the like. */
export function isGreeting(text: string): boolean {
  return greeting.test(text);
}

/** Whether a sentence reports a decision. */
export function isDecision({ text }: Sentence): boolean {
  return decided.test(text) && !undecided.test(text);
}

/** The weight of a word that occurs in one sentence alone. */
const once = 0.5;

/** The salience of a sentence: frequent words and decisions raise it; greetings, questions and fragments lower it. */
function weightOf(sentence: Sentence, place: number, counts: ReadonlyMap<string, number>, count: number): number {
  const { text, words, terms, source } = sentence;
  let sum = 0;
  for (const term of terms) {
    const times = counts.get(term) ?? 0;
    // A word in a quarter of the sentences or more is not salient: languages without a list of stop words have such
    // words too.
    if (count < 12 || times * 4 < count) sum += times === 1 ? once : Math.log2(1 + times);
  }
  let weight = sum / Math.sqrt(Math.max(terms.size, 6));
  if (words.length < 5) weight *= 0.3;
  if (words.length > 45) weight *= 0.7;
  if (/[?？]\s*$/.test(text)) weight *= 0.4;
  if (/\b(?:would|could|might|maybe|perhaps)\b/i.test(text)) weight *= 0.8;
  if (aside.test(text)) weight *= 0.6;
  if (isGreeting(text)) weight *= 0.2;
  if (isDecision(sentence)) weight *= 2.2;
  if (/\p{N}/u.test(text)) weight *= 1.15;
  if (source === 'notes') weight *= isCorrection(sentence) ? 6 : 1.5;
  if (place === 0) weight *= 1.3;
  return weight;
}

/** How much of the smaller set both have, from 0 to 1. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const smaller = one.size <= other.size ? one : other;
  const larger = smaller === one ? other : one;
  if (smaller.size === 0) return 0;
  let both = 0;
  for (const term of smaller) if (larger.has(term)) both++;
  return both / smaller.size;
}

/** Of so many sentences one is chosen, so that time stays linear. */
const maxCandidates = 200;

/**
 * The `limit` most salient sentences, the best first, none repeating another. `isLess` marks those that appear
 * elsewhere in the digest.
 */
export function salientSentences(
  sentences: readonly Sentence[],
  counts: ReadonlyMap<string, number>,
  limit: number,
  isLess: (sentence: Sentence) => boolean = () => false,
): Sentence[] {
  const weighed = sentences.map((sentence, place) => {
    const weight = weightOf(sentence, place, counts, sentences.length);
    return { sentence, place, weight: isLess(sentence) ? weight / 2 : weight };
  });
  const candidates = weighed.sort((a, b) => b.weight - a.weight || a.place - b.place).slice(0, maxCandidates);
  const chosen: Sentence[] = [];
  for (const { sentence } of candidates) {
    if (chosen.length >= limit) break;
    const isRepeated = chosen.some(
      ({ text, terms }) => text === sentence.text || likeness(terms, sentence.terms) > 0.6,
    );
    if (!isRepeated) chosen.push(sentence);
  }
  return chosen;
}
