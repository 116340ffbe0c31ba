import { actionLabel, labelWords } from './labels.ts';
import type { Reading } from './passages.ts';
import { firstClause, firstSentence, shortened, withoutMarkdown } from './plain-text.ts';
import { isCorrection, isDecision, isGreeting, type Sentence } from './salience.ts';
import type { CaptureMaterial } from './shapes.ts';

/** Characters of a title that is made of a sentence; a clause is taken where the sentence is longer. */
const maxTitleLength = 80;

/** Characters of a line that is a title as it stands. */
const maxLineLength = 120;

const opening =
  /^(?:(?:ok(?:ay)?|so|yes|yeah|well|right|alright|all right|and|but|now|um+|uh+|also|hi|hello|hey|everyone|all|team|guys|basically|actually|great|good)[\s,.!…-]+){1,6}(?=\S)/i;
const end = /[\s,;:.!…–—。！、，；：-]+$/u;

function titled(words: string, maxLength: number): string {
  const phrase = (actionLabel.exec(words)?.groups?.rest ?? words).replace(opening, '');
  const clause = firstClause((phrase.length >= 12 ? phrase : words).replace(end, ''), maxLength).replace(
    end,
    (marks) => (marks.includes('…') ? '…' : ''),
  );
  return clause.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

const announced = [
  /\b(?:main|first|only) (?:thing|topic|point|question|subject)(?: for)?(?: today| of today| now)? is (?<topic>[^,.;:!?]{4,160})/i,
  /\bwelcome to (?:the |our |this |today['’]s |another )?(?<topic>[^,.;:!?]{4,160})/i,
  /\b(?:today['’]s |the )?(?:topic|agenda|subject|purpose|goal)(?: of (?:this|the|today['’]s) \w+)?(?: today| for today)?(?: is|:)\s+(?:to (?:discuss|talk about|review) )?(?<topic>[^,.;:!?]{4,160})/i,
  /\b(?:this|today['’]s|the) (?:meeting|call|session|sync|interview|review) is (?:all )?about (?<topic>[^,.;:!?]{4,160})/i,
  /\b(?:we(?:['’]re| are)|we(?:['’]ll| will)|let['’]s|i(?:['’]d| would) like to|i want(?:ed)? to|(?:we|i) need to|here to|today)\b[^,.;:!?]{0,40}?\b(?:talk(?:ing)? about|discuss(?:ing)?|go(?:ing)? over|go(?:ing)? through|review(?:ing)?|focus(?:ing)? on|plan(?:ning)?)\s+(?<topic>[^,.;:!?]{4,160})/i,
];
const vague = /^(?:it|that|this|these|those|them|things?|stuff|what|how|why|everything|something|you|me|some)\b/i;

/** Where a speaker goes on with another clause without a pause: the topic ends there. */
const rest =
  /(?<=\S\s.*)\s(?:we|i|you|they|he|she|it|which|who|because|so|since|before|and then|and (?:we|i|then|look))\s.*$/i;

/** The topic that somebody announces at the beginning. */
function announcedTopic(sentences: readonly Sentence[]): string | undefined {
  for (const { text } of sentences.slice(0, 12)) {
    for (const shape of announced) {
      const topic = shape
        .exec(text)
        ?.groups?.topic?.replace(rest, '')
        .replace(/^(?:the|our|a|an|to)\s+/i, '')
        .replace(
          /\s+(?:today|now|quickly|first|together|everyone|this (?:morning|afternoon|week)|with you|again)$/i,
          '',
        )
        .trim();
      if (topic && topic.length >= 4 && !vague.test(topic)) return titled(topic, maxTitleLength);
    }
  }
  return undefined;
}

function beginning(words: string | null): string {
  const [line = ''] = withoutMarkdown((words ?? '').trimStart().slice(0, 1000)).split('\n');
  return Array.from(line).length <= maxLineLength ? line : titled(firstSentence(line), maxLineLength);
}

/** The first line of a note; when that is a long one, its first sentence or clause. */
export function noteTitle({ text, notes, date }: CaptureMaterial): string {
  return beginning(text) || beginning(notes) || `Note of ${date}`;
}

/** The first heading of the notes that names a subject, and not “Agenda” or “Next steps”. */
function subjectHeading({ passages }: Reading): string | undefined {
  return passages
    .filter(({ mark, source }) => mark === 'heading' && source === 'notes')
    .map(({ text }) => withoutMarkdown(text.slice(0, 500)).replaceAll('\n', ' ').replace(end, ''))
    .find((heading) => /\p{L}{2}/u.test(heading) && !labelWords.test(heading));
}

/** Sentences of a recording that is so short that it begins with what it is about. */
const fewSentences = 5;

/** What a recording is called, and whether that is made of its topics. */
export interface RecordingTitle {
  title: string;
  isTopics: boolean;
}

/**
 * The title of a recording: the heading of its notes, an announced topic, a decision, its topics, or its
 * most salient sentence.
 */
export function recordingTitle(
  { text, notes, date }: CaptureMaterial,
  reading: Reading,
  sentences: readonly Sentence[],
  salient: readonly Sentence[],
  topics: readonly string[],
): RecordingTitle {
  const made = (title: string, isTopics = false) => ({ title, isTopics });
  const given = subjectHeading(reading);
  if (given) return made(shortened(given, maxLineLength));
  const announced = announcedTopic(sentences);
  if (announced) return made(announced);
  const [first] = sentences.length <= fewSentences ? sentences.filter((each) => !isGreeting(each.text)) : [];
  if (first && first.words.length >= 3) return made(titled(first.text, maxTitleLength));
  const short = salient.filter((each) => Array.from(each.text).length <= maxTitleLength && !isCorrection(each));
  const decision = short.find(isDecision);
  if (!decision && topics.length > 1) return made(titled(topics.join(', '), maxTitleLength), true);
  const best = decision ?? short[0] ?? salient[0] ?? sentences[0];
  const phrase = best ? titled(best.text, maxTitleLength) : '';
  return made(phrase || beginning(text) || beginning(notes) || `Recording of ${date}`);
}
