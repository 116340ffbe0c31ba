import { startOfDay } from '../prompt/clock.ts';
import { addDays, exists } from './calendar.ts';
import { dayPattern, readDay, readSpan, type Span, spanPattern } from './date-words.ts';
import { priorityOf } from './details.ts';
import type { Filter, FilterWords } from './filter-words.ts';
import { assigneesOf, knownAssignee, knownList } from './names.ts';
import type { Scene } from './plan.ts';
import { quotedPattern, quotesIn, type Sentence, written } from './sentence.ts';

/** A shape of words; `read` adds its filter and returns whether it took the words. */
type Reader = [
  shape: RegExp,
  read: (match: RegExpExecArray, found: FilterWords, scene: Scene, sentence: Sentence) => boolean,
];

/** Adds to the filter, with its words. */
export function put(found: FilterWords, filter: Filter, phrase?: string): true {
  found.filter = { ...found.filter, ...filter };
  found.isAboutTodos = true;
  if (phrase !== undefined) found.phrases.push(phrase);
  return true;
}

function putDue(found: FilterWords, { first, last }: Span, phrase: string): true {
  const dates = first === last ? first : [first, 'to', last].filter(Boolean).join(' ');
  const due = { ...(first !== undefined && { dueAfter: first }), ...(last !== undefined && { dueBefore: last }) };
  return put(found, due, phrase === dates ? `due on ${phrase}` : `due ${phrase} (${dates})`);
}

function readDue(words: string, before: string, found: FilterWords, { today }: Scene): boolean {
  const preposition = before.toLowerCase();
  const span = readSpan(words, today) ?? { first: readDay(words, today), last: readDay(words, today) };
  if (span.first === undefined || span.last === undefined) return false;
  const phrase = words.toLowerCase();
  // A date that does not exist is the tool's to refuse.
  if (!exists(span.first) || !exists(span.last)) return putDue(found, span, phrase);
  if (/by|until|till/.test(preposition)) return putDue(found, { last: span.last }, `by ${phrase}`);
  if (/before/.test(preposition)) return putDue(found, { last: addDays(span.first, -1) }, `before ${phrase}`);
  if (/after/.test(preposition)) return putDue(found, { first: addDays(span.last, 1) }, `after ${phrase}`);
  if (/since|from/.test(preposition)) return putDue(found, { first: span.first }, `from ${phrase} on`);
  return putDue(found, span, phrase);
}

function readSince(kind: string, words: string, found: FilterWords, { today, facts }: Scene): boolean {
  const coming = readSpan(words, today)?.first ?? readDay(words, today);
  if (coming === undefined || !exists(coming)) return false;
  const start = coming > today ? addDays(coming, -7) : coming;
  const since = startOfDay(start, facts.timezone).toISOString();
  if (/^(?:creat|add|mak|made|new)/i.test(kind)) return put(found, { createdSince: since }, `created since ${start}`);
  const status = /^(?:done|complet|finish)/i.test(kind) ? ({ status: 'done' } as const) : {};
  return put(found, { ...status, updatedSince: since }, `changed since ${start}`);
}

const someDays = `${spanPattern}|${dayPattern}`;
const listWords = `(?:in|on|from|of|under)\\s+(?:the\\s+|my\\s+|our\\s+)?(?:list\\s+)?(${quotedPattern}|[^\\s,;]+(?:\\s[^\\s,;]+){0,4}?)`;

/** The words of filters, in the order in which they are tried. */
export const filterReaders: Reader[] = [
  [/\barchived\b/i, (_, found) => put(found, { includeArchived: true }, 'archived')],
  [
    new RegExp(
      `\\b(created?|add(?:ed)?|made|make|new|changed?|updated?|edit(?:ed)?|modified|done|completed?|finish(?:ed)?)\\s+(?:since\\s+|on\\s+|from\\s+|in\\s+)?(${someDays})(?![\\p{L}\\d])`,
      'iu',
    ),
    ([, kind = '', words = ''], found, scene) => readSince(kind, words, found, scene),
  ],
  [
    /\b(?:overdue|past due|late)\b/i,
    (_, found, { today }) => put(found, { status: 'active', dueBefore: addDays(today, -1) }, 'overdue'),
  ],
  [/\bin[ -]progress\b|\bongoing\b|\bstarted\b(?<!not started)/i, (_, found) => put(found, { status: 'in_progress' })],
  [/\bnot (?:yet )?started\b|\bready\b/i, (_, found) => put(found, { status: 'ready' })],
  [
    /\b(?:not (?:yet )?(?:done|complete|completed|finished)|open|active|unfinished|incomplete|pending|outstanding|remaining|undone|left(?: to do)?)\b/i,
    (_, found) => put(found, { status: 'active' }),
  ],
  [/\b(?:done|completed|finished|closed)\b/i, (_, found) => put(found, { status: 'done' })],
  [
    /\b(?:without|with no|no)\s+(?:an?\s+)?priority\b/i,
    (_, found) => put(found, { priority: 'none' }, 'without a priority'),
  ],
  [
    /\b(?:(?:with\s+)?(?:an?\s+)?(urgent|critical|top|highest|high|important|medium|normal|low|lowest)(?:[\s-]priority)?|priority\s*[:=]?\s*(urgent|high|medium|low))\b/i,
    ([, word, other], found) => {
      const priority = priorityOf(word ?? other ?? '');
      return (
        priority !== undefined && put(found, { priority }, priority === 'urgent' ? 'urgent' : `of ${priority} priority`)
      );
    },
  ],
  [
    /\b(?:responsibilities|responsibility|recurring|standing)\b/i,
    (_, found) => put(found, { type: 'responsibility' }, 'standing'),
  ],
  [
    /\b(?:unassigned|not assigned|(?:assigned to|of) (?:nobody|no one))\b/i,
    (_, found) => put(found, { unassigned: true }, 'assigned to nobody'),
  ],
  [
    /\b(?:assigned to|for) (?:me|myself)\b|\bmine\b|\b(?:do i|did i|i) (?:still )?(?:have|need|must|own|(?=complete|finish|create|add|change|update))(?: to do)?\b|\bmy (?=(?:[\p{L}-]+ ){0,3}(?:todos?|tasks?|work|plate|things|day|week|list|open|due|overdue)\b)/iu,
    (_, found) => put(found, { assignedToMe: true }, 'assigned to you'),
  ],
  [
    /\b(?:assigned to|belonging to|of|for)\s+((?:the\s+)?[^,;]{1,80}?)(?=$|\s+(?:due|that|which|in|on|by|this|with|about)\b)/i,
    ([whole, name = ''], found, scene, sentence) => {
      const trusting = /^(?:assigned|belonging)/i.test(whole);
      const [someone] = assigneesOf(scene, sentence, name, trusting) ?? [];
      return someone !== undefined && put(found, { assigneeId: someone.id }, `assigned to ${written(sentence, name)}`);
    },
  ],
  [
    /\b(?:does|do|has|did)\s+((?!i\b)[\p{L}\d.-]+(?: [\p{L}\d.-]+)?)\s+(?:still\s+)?(?:have|got|need)\b/iu,
    ([, name = ''], found, scene, sentence) => {
      const someone = knownAssignee(scene, sentence, name);
      return someone !== undefined && put(found, { assigneeId: someone.id }, `assigned to ${someone.name}`);
    },
  ],
  [
    /([\p{L}\d.-]+(?: [\p{L}\d.-]+)?)[’']s (?=.*\b(?:todos?|tasks?)\b)/iu,
    ([, name = ''], found, scene, sentence) => {
      const someone = [name, name.split(' ').at(-1) ?? '']
        .map((each) => knownAssignee(scene, sentence, each))
        .find(Boolean);
      return someone !== undefined && put(found, { assigneeId: someone.id }, `assigned to ${someone.name}`);
    },
  ],
  [
    new RegExp(`\\b${listWords}\\s+list\\b`, 'i'),
    ([, name = ''], found, scene, sentence) => {
      if (/^(?:my|todo|todos|task|tasks|the)$/i.test(name)) return true;
      const known = knownList(scene, sentence, name);
      const phrase = known?.name ?? quotesIn(sentence, name)[0] ?? written(sentence, name);
      return put(found, { todoListId: known?.id ?? phrase }, `in the list “${phrase}”`);
    },
  ],
  [
    new RegExp(`\\b${listWords}(?=$|[\\s,;])`, 'gi'),
    ([whole], found, scene, sentence) => {
      const words = whole.split(' ');
      const known = [words.slice(1), words.slice(2)]
        .map((name) => knownList(scene, sentence, name.join(' ')))
        .find(Boolean);
      return known !== undefined && put(found, { todoListId: known.id }, `in the list “${known.name}”`);
    },
  ],
  [
    new RegExp(
      `\\b(?:(?:that\\s+are\\s+|is\\s+|are\\s+|coming\\s+)?due\\s+)?(?:(on|by|before|until|till|after|since|from|in|within|during|for|over)\\s+)?(${someDays})(?![\\p{L}\\d])`,
      'iu',
    ),
    ([, before = '', words = ''], found, scene) => readDue(words, before, found, scene),
  ],
];
