import { dayPattern, readDay, weekdayShort } from './date-words.ts';
import { assigneesOf, knownList } from './names.ts';
import type { Scene } from './plan.ts';
import { isQuoted, quotedPattern, quotesIn, type Sentence, written } from './sentence.ts';

export type PriorityWord = 'urgent' | 'high' | 'medium' | 'low';

/** What a request gives of a todo beside its title. `todoListId` and assignees are ids, or names to be looked up. */
export interface Details {
  priority?: PriorityWord;
  dueDate?: string;
  todoListId?: string;
  assignees?: { id: string }[];
}

const priorities: Record<string, PriorityWord> = {
  urgent: 'urgent',
  critical: 'urgent',
  top: 'urgent',
  highest: 'urgent',
  high: 'high',
  important: 'high',
  medium: 'medium',
  normal: 'medium',
  low: 'low',
  lowest: 'low',
};

/** Words for priorities, as the source of a regular expression. */
export const priorityPattern = Object.keys(priorities).join('|');

/** The priority of a word; undefined when it is none. */
export function priorityOf(word: string): PriorityWord | undefined {
  return priorities[word.toLowerCase()];
}

/** What is found at the end of a text, and the text before it. */
interface Found {
  rest: string;
  details: Details;
}

interface Reading {
  scene: Scene;
  sentence: Sentence;
  /** A priority needs no further word: “… urgent”. */
  bare: boolean;
}

type Taker = (text: string, reading: Reading) => Found | undefined;

const joint = '(?:^|[\\s,;]+)(?:(?:and|with|but|which is|that is|it is|make it|set)\\s+)*';
const article = '(?:an?\\s+|the\\s+)?';
const priorityAtEnd = [
  new RegExp(`${joint}(?:(?:at|as|of|to|with)\\s+)?${article}(${priorityPattern})[\\s-]priority$`, 'i'),
  new RegExp(`${joint}${article}priority(?:\\s+(?:is|of|to)|\\s*[:=])?\\s*(${priorityPattern})$`, 'i'),
  new RegExp(`(?:\\s*[,;]\\s*|\\s+(?:as|is|it is)\\s+)(${priorityPattern})$`, 'i'),
  new RegExp(`\\s*[([]\\s*(${priorityPattern})(?:[\\s-]priority)?\\s*[)\\]]$`, 'i'),
  new RegExp(`\\s+!(${priorityPattern})$`, 'i'),
];
const priorityBare = new RegExp(`${joint}(?:(?:as|to)\\s+)?(${priorityPattern})$`, 'i');

const takePriority: Taker = (text, { bare }) => {
  for (const shape of bare ? [...priorityAtEnd, priorityBare] : priorityAtEnd) {
    const match = shape.exec(text);
    const priority = priorityOf(match?.[1] ?? '');
    if (match && priority) return { rest: text.slice(0, match.index), details: { priority } };
  }
  const soon = /[\s,;]+(?:asap|urgently|as soon as possible)$/i.exec(text);
  return soon ? { rest: text.slice(0, soon.index), details: { priority: 'urgent' } } : undefined;
};

const dueWord = `(?:(?:due|deadline|due date)(?:\\s+(?:by|on|at|for|is|of|to))?|by|before|until|till|on|for|to)\\s*:?`;
const dueAtEnd = new RegExp(`${joint}(?:${article}(${dueWord})\\s+)?\\(?(${dayPattern})\\)?$`, 'i');
const dueShort = new RegExp(`${joint}(${dueWord})\\s+(${weekdayShort})$`, 'i');
const timeOfDay = /\s+at\s+\d{1,2}(?::\d{2})?(?:\s*(?:am|pm)|\s+o[’']clock)?$/i;

const takeDue: Taker = (text, { scene }) => {
  const time = timeOfDay.exec(text);
  const before = time ? text.slice(0, time.index) : text;
  const match = dueAtEnd.exec(before) ?? dueShort.exec(before);
  const dueDate = match ? readDay(match[2] ?? '', scene.today) : undefined;
  if (!match || dueDate === undefined) return undefined;
  return { rest: before.slice(0, match.index) + (time?.[0] ?? ''), details: { dueDate } };
};

const listHere = new RegExp(
  `^[\\s,;]+(?:and\\s+)?(?:put it\\s+|file it\\s+|move it\\s+)?(in|into|on|onto|to|under)\\s+((?:the\\s+|my\\s+|our\\s+)?)(list\\s+)?(${quotedPattern}|[^\\s,;]+(?:\\s[^\\s,;]+){0,5}?)(\\s+list)?$`,
  'i',
);
const ownList = /^(?:todos?|tasks?|list)$/i;

/** Every way to read the end of a text as a list, the shortest name first. */
function listNames(text: string): { start: number; name: string; isExplicit: boolean }[] {
  const found: { start: number; name: string; isExplicit: boolean }[] = [];
  for (const { index } of text.matchAll(/[\s,;]+(?:in|into|on|onto|to|under)\s/gi)) {
    const match = listHere.exec(text.slice(index));
    if (!match) continue;
    found.unshift({ start: index, name: match[4] ?? '', isExplicit: match[3] !== undefined || match[5] !== undefined });
  }
  return found;
}

const takeList: Taker = (text, { scene, sentence }) => {
  for (const { start, name, isExplicit } of listNames(text)) {
    const rest = text.slice(0, start).replace(/[\s,;]+(?:and\s+)?(?:put|file|move)\s+it$/i, '');
    const known = knownList(scene, sentence, name);
    if (known) return { rest, details: { todoListId: known.id } };
    if (ownList.test(name) && (isExplicit || /todos|tasks|list/i.test(name))) return { rest, details: {} };
    if (isExplicit || isQuoted(rest)) {
      return { rest, details: { todoListId: quotesIn(sentence, name)[0] ?? written(sentence, name) } };
    }
  }
  return undefined;
};

const assignAtEnd =
  /^[\s,;]+(?:and\s+)?(assign(?:ed)?(?:\s+(?:it|this|them))?\s+to|assignees?:?|give\s+(?:it|this|them)\s+to|for)\s+(.{1,200})$/i;

const takeAssignees: Taker = (text, { scene, sentence }) => {
  const starts = [...text.matchAll(/[\s,;]+(?:and\s+)?(?:assign|give\s|for\s)/gi)].map(({ index }) => index);
  for (const start of starts.reverse()) {
    const match = assignAtEnd.exec(text.slice(start));
    if (!match) continue;
    const rest = text.slice(0, start);
    const isExplicit = !/^for$/i.test(match[1] ?? '') || isQuoted(rest);
    const assignees = assigneesOf(scene, sentence, match[2] ?? '', isExplicit);
    if (assignees) return { rest, details: { assignees } };
  }
  return undefined;
};

const takers: Record<string, Taker> = { takePriority, takeDue, takeList, takeAssignees };

/** Takes priority, due date, list and assignees off the end of a text, each once, as long as something is left. */
export function detailsAtEnd(
  scene: Scene,
  sentence: Sentence,
  { bare = false, mayBeAll = false }: { bare?: boolean; mayBeAll?: boolean } = {},
): { rest: string; details: Details } {
  const reading = { scene, sentence, bare };
  let rest = sentence.text.trim();
  let details: Details = {};
  const left = new Map(Object.entries(takers));
  for (let again = true; again; ) {
    again = false;
    for (const [name, take] of left) {
      const found = take(mayBeAll ? ` ${rest}` : rest, reading);
      const shorter = found?.rest.replace(/[\s,;:–-]+$/, '').trim();
      if (!found || shorter === undefined || (shorter === '' && !mayBeAll)) continue;
      rest = shorter;
      details = { ...details, ...found.details };
      left.delete(name);
      again = true;
    }
  }
  return { rest, details };
}
