import { quotedDigest } from './captures/offline.ts';
import { firstClause, firstSentence, shortened, withoutMarkdown } from './captures/plain-text.ts';
import { type Estimate, maxMinutesSaved, type RunFacts, textLimits, type Writer } from './writer.ts';

/** Length of a title in characters; people may give longer ones. */
const maxTitleLength = 60;

const greeting =
  /^(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: (?:there|all|team|everyone|assistant))?\s*[,!.]*\s+|please\s+|(?:can|could|would|will) you (?:please )?|i(?: would|['’]d) like you to |i (?:want|need) you to )+/i;

function titleOf(message: string): string {
  const [line = ''] = withoutMarkdown(message).split('\n');
  const rest = line.replace(greeting, '');
  const isPolite = /\byou\b/i.test(greeting.exec(line)?.[0] ?? '');
  const sentence = firstSentence(rest === '' ? line : rest).replace(isPolite ? /[\s.!?,;:…]+$/ : /[\s.!,;:…]+$/, '');
  const title = firstClause(sentence, maxTitleLength);
  return title.replace(/^\p{Ll}/u, (first) => first.toUpperCase()) || 'Untitled chat';
}

/** Minutes that a person needs for one change, one look-up, and for as many words. */
const pace = { change: 2, lookUp: 1, wordsPerMinute: 40 };

function amount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** What a person would have needed for the same steps; an agent that finished none of them saved nothing. */
function estimate({ minutesUsed, toolCalls, lines }: RunFacts): Estimate {
  const good = toolCalls.filter(({ isError }) => !isError);
  const lookUps = good.filter(({ name }) => /^(?:list|get)_/.test(name)).length;
  const changes = good.length - lookUps;
  const written = lines.filter(({ role }) => role === 'agent').map(({ text }) => withoutMarkdown(text));
  const words = written.join(' ').split(/\s+/).filter(Boolean).length;
  const confidence = 'low';
  if (good.length === 0 && words === 0) return { minutes: 0, reason: 'The agent left no finished step.', confidence };
  const minutes = changes * pace.change + lookUps * pace.lookUp + words / pace.wordsPerMinute;
  const did = `${amount(changes, 'change')}, ${amount(lookUps, 'look-up')} and ${amount(words, 'word')} written`;
  const reason = shortened(`Rough estimate from ${did} in ${amount(minutesUsed, 'agent minute')}.`, textLimits.reason);
  return { minutes: Math.min(maxMinutesSaved, Math.round(minutes)), reason, confidence };
}

/** Writes offline, out of the words that are there: the same for the same text. */
export const offlineWriter: Writer = {
  async title(firstMessage) {
    return titleOf(firstMessage);
  },

  async subtitle({ title, lines }) {
    const sentences = lines
      .map(({ role, text }) => ({ role, text: firstSentence(text) }))
      .filter(({ text }) => text !== '');
    const last = sentences.findLast(({ role }) => role === 'agent') ?? sentences.at(-1);
    return shortened(last?.text || firstSentence(title ?? '') || 'Nothing was said yet', textLimits.subtitle);
  },

  async skillSummary(name, instructions) {
    const sentence = firstSentence(instructions ?? '').replace(/:$/, '');
    return shortened(sentence || firstSentence(name) || 'A skill without instructions', textLimits.skillSummary);
  },

  async minutesSaved(_, run) {
    return estimate(run);
  },

  capture: (material, { signal }) => quotedDigest(material, signal),
};
