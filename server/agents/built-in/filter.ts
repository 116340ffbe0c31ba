import { startOfDay } from '../prompt/clock.ts';
import { addDays, exists } from './calendar.ts';
import { dayPattern, readDay, readSpan, type Span, spanPattern } from './date-words.ts';
import { type PriorityWord, priorityOf } from './details.ts';
import { assigneesOf, knownAssignee, knownList } from './names.ts';
import type { Scene } from './plan.ts';
import { quotedPattern, quotesIn, type Sentence, withText, written } from './sentence.ts';

/** The filters of list_todos that requests can name. */
export interface Filter {
  status?: 'ready' | 'in_progress' | 'done' | 'active';
  priority?: PriorityWord | 'none';
  type?: 'responsibility';
  todoListId?: string;
  assigneeId?: string;
  assignedToMe?: true;
  unassigned?: true;
  includeArchived?: true;
  dueAfter?: string;
  dueBefore?: string;
  createdSince?: string;
  updatedSince?: string;
  query?: string;
}

/** A filter as it was read, and the words that it did not take. */
export interface FilterWords {
  filter: Filter;
  /** Words for the filter, in the order in which they are told; the status apart. */
  told: string[];
  rest: string;
  /** Whether the words named todos, or one of the filters. */
  isAboutTodos: boolean;
  /** Whether the word “todos” itself occurred. */
  isByName: boolean;
  /** “most urgent first”. */
  sort?: 'priority' | 'dueDate' | 'updatedAt' | 'createdAt';
}

/** Longest `query` of list_todos. */
const longestQuery = 200;

export function queryText(text: string): string {
  return Array.from(text.trim()).slice(0, longestQuery).join('').trim();
}

type Reader = [
  shape: RegExp,
  read: (match: RegExpExecArray, found: FilterWords, scene: Scene, sentence: Sentence) => boolean,
];

function put(found: FilterWords, filter: Filter, told?: string): true {
  found.filter = { ...found.filter, ...filter };
  found.isAboutTodos = true;
  if (told !== undefined) found.told.push(told);
  return true;
}

function putDue(found: FilterWords, { first, last }: Span, said: string): true {
  const dates = first === last ? first : [first, 'to', last].filter(Boolean).join(' ');
  const due = { ...(first !== undefined && { dueAfter: first }), ...(last !== undefined && { dueBefore: last }) };
  return put(found, due, said === dates ? `due on ${said}` : `due ${said} (${dates})`);
}

function readDue(words: string, before: string, found: FilterWords, { today }: Scene): boolean {
  const preposition = before.toLowerCase();
  const span = readSpan(words, today) ?? { first: readDay(words, today), last: readDay(words, today) };
  if (span.first === undefined || span.last === undefined) return false;
  const said = words.toLowerCase();
  // A date that does not exist is the tool's to refuse.
  if (!exists(span.first) || !exists(span.last)) return putDue(found, span, said);
  if (/by|until|till/.test(preposition)) return putDue(found, { last: span.last }, `by ${said}`);
  if (/before/.test(preposition)) return putDue(found, { last: addDays(span.first, -1) }, `before ${said}`);
  if (/after/.test(preposition)) return putDue(found, { first: addDays(span.last, 1) }, `after ${said}`);
  if (/since|from/.test(preposition)) return putDue(found, { first: span.first }, `from ${said} on`);
  return putDue(found, span, said);
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

const readers: Reader[] = [
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
      const said = known?.name ?? quotesIn(sentence, name)[0] ?? written(sentence, name);
      return put(found, { todoListId: known?.id ?? said }, `in the list “${said}”`);
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

const sorts: [RegExp, NonNullable<FilterWords['sort']>][] = [
  [/,?\s*\b(?:(?:sorted|ordered)\s+)?by (?:priority|urgency)\b|,?\s*\bmost (?:urgent|important) first\b/i, 'priority'],
  [/,?\s*\b(?:(?:sorted|ordered)\s+)?by (?:due date|deadline|date)\b|,?\s*\bsoonest first\b/i, 'dueDate'],
  [/,?\s*\b(?:newest|latest) first\b|\b(?:newest|latest|most recent)\b/i, 'createdAt'],
  [/,?\s*\brecently (?:changed|updated)\b/i, 'updatedAt'],
];

const nouns = /\b(?:todos?|tasks?|action items?|things to do)\b/i;
const everyNoun = new RegExp(nouns, 'gi');

/** A list that is named without “in”: “the Groceries list”, or nothing but its name. */
function readListName(found: FilterWords, { facts }: Scene): void {
  if (found.filter.todoListId !== undefined) return;
  for (const { id, name } of facts.workspace.lists) {
    const words = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+');
    const shape = new RegExp(`(?<![\\p{L}\\d])${words}(?:\\s+(?:todo\\s+)?list(?![\\p{L}\\d])|$)`, 'iu');
    if (!shape.test(found.rest)) continue;
    found.rest = found.rest.replace(shape, ' ');
    put(found, { todoListId: id }, `in the list “${name}”`);
    return;
  }
}

/** Reads the filters that words name: “urgent todos in Groceries due this week”. */
export function readFilter(scene: Scene, sentence: Sentence): FilterWords {
  const found: FilterWords = { filter: {}, told: [], rest: sentence.text, isAboutTodos: false, isByName: false };
  for (const [shape, sort] of sorts) {
    if (!shape.test(found.rest)) continue;
    found.rest = found.rest.replace(shape, ' ');
    found.sort = sort;
    break;
  }
  for (const [shape, read] of readers) {
    const matches = shape.global ? [...found.rest.matchAll(shape)] : [shape.exec(found.rest)];
    for (const match of matches) {
      if (!match || !read(match as RegExpExecArray, found, scene, withText(sentence, found.rest))) continue;
      found.rest = `${found.rest.slice(0, match.index)} ${found.rest.slice(match.index + match[0].length)}`;
      break;
    }
  }
  readListName(found, scene);
  found.isByName = nouns.test(found.rest);
  found.isAboutTodos ||= found.isByName;
  found.rest = found.rest.replace(everyNoun, ' ').replaceAll(/\s+/g, ' ').trim();
  return found;
}

const statusTold = { ready: 'ready', in_progress: 'in progress', done: 'done', active: 'open' };

/** “3 open todos in the list “Groceries””. */
export function toldFilter({ filter, told }: Pick<FilterWords, 'filter' | 'told'>, count: number): string {
  const status = filter.status === undefined || told.includes('overdue') ? '' : statusTold[filter.status];
  const isFront = (words: string) => ['urgent', 'archived', 'standing', 'overdue'].includes(words);
  const query = filter.query === undefined ? [] : [`matching “${filter.query}”`];
  const front = [status === 'in progress' ? '' : status, ...told.filter(isFront)].filter(Boolean);
  const back = [status === 'in progress' ? status : '', ...told.filter((words) => !isFront(words)), ...query];
  const parts = [String(count), ...front, count === 1 ? 'todo' : 'todos', ...back.filter(Boolean)];
  return parts.join(' ');
}
