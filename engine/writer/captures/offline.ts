import { actionsIn } from './actions.ts';
import { noteTitle, recordingTitle } from './headline.ts';
import { readMaterial } from './passages.ts';
import { shortened, withoutMarkdown } from './plain-text.ts';
import { frequencies, type Sentence, salientSentences, sentencesIn } from './salience.ts';
import { quotation } from './sentences.ts';
import { type CaptureDigest, type CaptureMaterial, captureLimits, emptyDigest, materialToWrite } from './shapes.ts';
import { subtitleOf } from './subtitle.ts';
import { topicsOf } from './topics.ts';
import { wordsOf } from './words.ts';

/** A text of fewer words is its own summary. */
const shortText = 60;

/** Characters of one quotation in a summary. */
const maxQuotationLength = 300;

/** The first line of a summary that is made of quotations. */
const preface = 'Key points, quoted:';

/** Three sentences of a few, seven of many. */
function howMany(sentences: number): number {
  return Math.min(7, Math.max(3, Math.round(0.9 * Math.sqrt(sentences))));
}

function quote({ text, speaker, source }: Sentence, isMixed: boolean): string {
  const who = speaker ?? (isMixed && source === 'notes' ? 'Notes' : null);
  return `- ${quotation(shortened(text, maxQuotationLength), who)}`;
}

/** A short text as it is; of a longer one the most salient sentences, in their order, as quotations. */
function summaryOf(
  { text, notes }: CaptureMaterial,
  salient: readonly Sentence[],
  sentences: readonly Sentence[],
  wordCount: number,
): string {
  const whole = [notes, text].filter((each) => each !== null).join('\n\n');
  if (wordCount < shortText || salient.length === 0) {
    const own = whole.length > 2000 ? whole.slice(0, 2000).toWellFormed() : whole.trim();
    return shortened(whole.length > 2000 ? withoutMarkdown(own) : own, captureLimits.summary);
  }
  const chosen = new Set(salient);
  const isMixed = notes !== null && text !== null;
  const lines = sentences.filter((each) => chosen.has(each)).map((each) => quote(each, isMixed));
  return `${preface}\n\n${lines.join('\n')}`;
}

/**
 * Writes about a capture out of its own text: everything but the names of the parts is quoted. The same for the
 * same material, in time linear in its length.
 * @throws the signal's reason, when it is aborted.
 */
export async function quotedDigest(given: CaptureMaterial, signal: AbortSignal): Promise<CaptureDigest> {
  signal.throwIfAborted();
  const material = materialToWrite(given);
  if (!material) return emptyDigest();
  const reading = await readMaterial(material, signal);
  const sentences = await sentencesIn(reading.passages, signal);
  const actions = await actionsIn(reading, material.date, signal);
  const counts = frequencies(sentences);
  const isAction = ({ text }: Sentence) => actions.sentences.has(text);
  const salient = salientSentences(sentences, counts, howMany(sentences.length), isAction);
  const wordCount =
    sentences.reduce((sum, { words }) => sum + words.length, 0) ||
    wordsOf([material.notes, material.text].join(' ').slice(0, 10_000)).length;
  const topics = await topicsOf(sentences, reading, signal);
  const called =
    material.type === 'note'
      ? { title: noteTitle(material), isTopics: false }
      : recordingTitle(material, reading, sentences, salient, topics);
  const isCalled = material.title === null;
  return {
    title: isCalled ? called.title : null,
    subtitle: subtitleOf(reading.speakers, isCalled && called.isTopics ? [] : topics, wordCount),
    summary: summaryOf(material, salient, sentences, wordCount),
    todos: actions.todos,
  };
}
