import { z } from 'zod';
import { causeOf } from './faults.ts';
import { queryText } from './filter-words.ts';
import { type Done, first, type Plan, respond, type Scene, type Step } from './plan.ts';
import {
  type Captured,
  CaptureRow,
  mayHoldMore,
  mentions,
  type Part,
  parts,
  quotation,
  type Reading,
} from './quotations.ts';
import { countText, quote } from './rows.ts';
import { quotesIn, type Sentence, written } from './sentence.ts';

const Page = z.object({ data: z.array(CaptureRow), hasMore: z.boolean().nullish() });
const One = z.object({ capture: CaptureRow, cut: z.array(z.object({ field: z.string() })).nullish() });

/** Most captures that are listed, and that are read for a quotation. */
const maxListed = 20;
const maxRead = 3;

function listText(rows: readonly Captured[], query: string, hasMore: boolean): string {
  const lines = rows.slice(0, maxListed).map(({ title, createdAt }, place) => {
    return `${place + 1}. ${quote(title ?? 'Untitled capture')}${createdAt ? ` (${createdAt.slice(0, 10)})` : ''}`;
  });
  const what = `${hasMore ? 'more than ' : ''}${countText(rows.length, 'capture')}`;
  return `I found ${what}${query === '' ? '' : ` for ${quote(query)}`}:\n\n${lines.join('\n')}`;
}

function failure(done: Done | undefined): Plan {
  return respond(`I could not look at the captures: ${done ? causeOf(done) : 'there is no answer'}.`);
}

/** What get_capture answered; undefined when it failed. */
function readingOf(done: Done): Reading | undefined {
  const shown = done.isError ? undefined : One.safeParse(done.output).data;
  if (!shown) return undefined;
  const cut = parts.filter((part) => shown.cut?.some(({ field }) => field === `capture.${part}`));
  return { capture: shown.capture, cut, more: [] };
}

interface Search {
  captureId: string;
  part: Part;
}

/** The readings with what was found in the rest of their texts. A part without a match is not a fault. */
function withFound(readings: readonly (Reading | undefined)[], searches: readonly Search[], done: Step) {
  return readings.map((reading) => {
    if (!reading) return undefined;
    const more = searches.flatMap(({ captureId, part }, place) => {
      const found = captureId === reading.capture.id && done[place] ? readingOf(done[place]) : undefined;
      return found?.capture[part] ?? [];
    });
    return { ...reading, more };
  });
}

/** Quotes the captures; the texts that the tool returned cut are searched for the query. */
function quotePlan(rows: readonly Captured[], query: string, limit: number): Plan {
  const read = rows.slice(0, limit);
  const calls = read.map(({ id }) => ({ name: 'get_capture', input: { captureId: id } }));
  return first(calls, (done) => {
    const readings = done.map(readingOf);
    const quoteAll = (all: readonly (Reading | undefined)[]) => {
      const quotations = done.map((each, place) => {
        const reading = all[place];
        return reading ? quotation(reading, query) : `I could not read one of them: ${causeOf(each)}.`;
      });
      const left = rows.length - read.length;
      const more = left > 0 && limit > 1 ? [`… and ${countText(left, 'more capture')}.`] : [];
      return respond([...quotations, ...more].join('\n\n'), { isDone: done.every(({ isError }) => !isError) });
    };
    const searches: Search[] = readings.flatMap((reading) =>
      reading && mayHoldMore(reading, query)
        ? reading.cut.map((part) => ({ captureId: reading.capture.id, part }))
        : [],
    );
    if (searches.length === 0) return quoteAll(readings);
    const finds = searches.map((search) => ({ name: 'get_capture', input: { ...search, find: queryText(query) } }));
    return first(finds, (found) => quoteAll(withFound(readings, searches, found)));
  });
}

/** The captures given to the chat as context that mention the query. */
function givenOf({ facts }: Scene, query: string): Reading[] {
  const given = facts.captures.map(
    ({ id, title, text }): Reading => ({ capture: { id, title, content: text }, cut: [], more: [] }),
  );
  return query === '' ? given : given.filter((reading) => mentions(reading, query));
}

function quoteGiven(given: readonly Reading[], query: string): Plan {
  return respond(given.map((each) => quotation(each, query)).join('\n\n'), { isDone: true });
}

interface Wanted {
  query: string;
  isQuotation: boolean;
  /** The last one alone. */
  isLast: boolean;
}

function plan(scene: Scene, { query, isQuotation, isLast }: Wanted): Plan {
  const given = givenOf(scene, query);
  if (given.length > 0 && (isQuotation || !scene.tools.has('list_captures'))) return quoteGiven(given, query);
  if (!scene.tools.has('list_captures'))
    return respond('I cannot look into captures here: this chat has no tools for them.');
  const input = { ...(query !== '' && { query: queryText(query) }), limit: maxListed };
  return first([{ name: 'list_captures', input }], ([done]) => {
    const page = done && !done.isError ? Page.safeParse(done.output).data : undefined;
    if (!page) return failure(done);
    const { data, hasMore } = page;
    const none = query === '' ? 'There are no captures.' : `No capture matches ${quote(query)}.`;
    if (data.length === 0) return respond(none, { isDone: true });
    if (isQuotation && scene.tools.has('get_capture')) return quotePlan(data, query, isLast ? 1 : maxRead);
    return respond(listText(data, query, hasMore ?? false), { isDone: true });
  });
}

const last = /\b(?:last|latest|most recent|newest)\b/i;
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
    if (match) return plan(scene, { query: subject(match), isQuotation: true, isLast: last.test(sentence.text) });
  }
  const match = listing.exec(sentence.text);
  return match ? plan(scene, { query: subject(match), isQuotation: false, isLast: false }) : undefined;
}
