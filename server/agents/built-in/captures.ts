import { z } from 'zod';
import { folded } from '../../../routers/folding.ts';
import { causeOf } from './faults.ts';
import { queryText } from './filter.ts';
import { type Done, first, type Plan, type Scene, say } from './plan.ts';
import { quoted } from './reading.ts';
import { countText, quote } from './rows.ts';
import { quotesIn, type Sentence, written } from './sentence.ts';

const Found = z.object({
  id: z.string(),
  title: z.string().nullish(),
  summary: z.string().nullish(),
  content: z.string().nullish(),
  transcript: z.string().nullish(),
  notes: z.string().nullish(),
  createdAt: z.string().nullish(),
});

type CaptureRow = z.infer<typeof Found>;

const Page = z.object({ data: z.array(Found) });
const One = z.object({ capture: Found });

/** Most captures that are listed, that are read for a quotation, and passages quoted of one. */
const mostListed = 20;
const mostRead = 3;
const mostPassages = 3;

function texts({ content, transcript, notes, summary }: CaptureRow): string[] {
  return [content, transcript, notes, summary].filter((text): text is string => Boolean(text?.trim()));
}

/** Lines or paragraphs of the text that say all the words; else those that say the most of them, if any does. */
function passages(text: string, words: readonly string[]): string[] {
  const lines = text.split(/\n+|(?<=[.!?])\s+(?=\p{Lu})/u).filter((line) => line.trim() !== '');
  const scored = lines.map((line) => ({ line, score: words.filter((word) => folded(line).includes(word)).length }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ line }) => line);
}

function quotation(capture: CaptureRow, query: string): string {
  const words = folded(query).split(/\s+/).filter(Boolean);
  const found = texts(capture).flatMap((text) => passages(text, words));
  const [whole] = texts(capture);
  const name = `${quote(capture.title ?? 'Untitled capture')}${capture.createdAt ? `, ${capture.createdAt.slice(0, 10)}` : ''}`;
  if (found.length === 0) {
    return whole === undefined ? `${name} has no text.` : `${name} begins:\n\n${quoted(whole, 500)}`;
  }
  const some = found.slice(0, mostPassages).map((line) => quoted(line, 500));
  const more = found.length > mostPassages ? `\n\n… and ${found.length - mostPassages} more places.` : '';
  return `${name} says:\n\n${some.join('\n>\n')}${more}`;
}

function listText(rows: readonly CaptureRow[], query: string): string {
  const lines = rows.slice(0, mostListed).map(({ title, createdAt }, place) => {
    return `${place + 1}. ${quote(title ?? 'Untitled capture')}${createdAt ? ` (${createdAt.slice(0, 10)})` : ''}`;
  });
  const what = countText(rows.length, 'capture');
  return `I found ${what}${query === '' ? '' : ` for ${quote(query)}`}:\n\n${lines.join('\n')}`;
}

function failure(done: Done | undefined): Plan {
  return say(`I could not look at the captures: ${done ? causeOf(done) : 'there is no answer'}.`);
}

function quotePlan(rows: readonly CaptureRow[], query: string): Plan {
  const calls = rows.slice(0, mostRead).map(({ id }) => ({ name: 'get_capture', input: { captureId: id } }));
  return first(calls, (done) => {
    const parts = done.map((each) => {
      const capture = each.isError ? undefined : One.safeParse(each.output).data?.capture;
      return capture ? quotation(capture, query) : `I could not read one of them: ${causeOf(each)}.`;
    });
    const more = rows.length > mostRead ? [`… and ${countText(rows.length - mostRead, 'more capture')}.`] : [];
    return say([...parts, ...more].join('\n\n'), { isDone: done.every(({ isError }) => !isError) });
  });
}

function plan(scene: Scene, query: string, isQuotation: boolean): Plan {
  if (!scene.tools.has('list_captures')) {
    const given = scene.facts.captures.map(({ id, title, text }) => ({ id, title, content: text }));
    if (given.length > 0) return say(given.map((each) => quotation(each, query)).join('\n\n'), { isDone: true });
    return say('I cannot look into captures here: this chat has no tools for them.');
  }
  const input = { ...(query !== '' && { query: queryText(query) }), limit: mostListed };
  return first([{ name: 'list_captures', input }], ([done]) => {
    const page = done && !done.isError ? Page.safeParse(done.output).data : undefined;
    if (!page) return failure(done);
    const { data } = page;
    const none = query === '' ? 'There are no captures.' : `No capture matches ${quote(query)}.`;
    if (data.length === 0) return say(none, { isDone: true });
    if (isQuotation && scene.tools.has('get_capture')) return quotePlan(data, query);
    return say(listText(data, query), { isDone: true });
  });
}

const things = '(?:captures?|recordings?|transcripts?|meeting notes|notes|meetings?)';
const listing = new RegExp(
  `^(?:find|search(?:\\s+for|\\s+in|\\s+through)?|show|list|display|look\\s+(?:for|up|through)|get|are there(?: any)?|which|what|how many)\\s+(?:me\\s+)?(?:all\\s+)?(?:the\\s+|my\\s+|our\\s+|any\\s+)?${things}\\b(?:\\s+(?:are there|is there|do i have|do we have))?\\s*(?:(?:about|on|for|with|mentioning|containing|regarding|that mention)\\s+)?(.*)$`,
  'i',
);
const quoting = [
  new RegExp(
    `^what\\s+(?:did|do|does|was|has)\\s+.{0,40}?\\s*(?:say|said|discuss|discussed|agree|agreed|decide|decided)\\s+(?:about|on)\\s+(.+?)(?:\\s+in\\s+(?:the\\s+|my\\s+|our\\s+)?(?:last\\s+)?${things})$`,
    'i',
  ),
  new RegExp(
    `^(?:quote|cite|read(?:\\s+me)?|what\\s+(?:does|do|is\\s+in))\\s+(?:from\\s+)?(?:the\\s+|my\\s+|our\\s+)?${things}\\s*(?:(?:called|named|titled|about|on|of|say(?:s)?\\s+about)\\s+)?(.*?)(?:\\s+says?)?$`,
    'i',
  ),
  new RegExp(`^(?:quote|cite|find)\\s+(.+?)\\s+(?:from|in)\\s+(?:the\\s+|my\\s+|our\\s+)?${things}$`, 'i'),
];

/** Requests about captures: “find captures about pricing”, “what did we say about pricing in the meeting?”. */
export function readCaptures(scene: Scene, sentence: Sentence): Plan | undefined {
  const subject = (match: RegExpExecArray) => {
    const words = match[1] ?? '';
    return quotesIn(sentence, words).join(' ') || written(sentence, words).replace(/^(?:the|a|an)\s+/i, '');
  };
  for (const shape of quoting) {
    const match = shape.exec(sentence.text);
    if (match) return plan(scene, subject(match), true);
  }
  const match = listing.exec(sentence.text);
  return match ? plan(scene, subject(match), false) : undefined;
}
