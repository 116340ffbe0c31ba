import { dayPattern, readDay } from './date-words.ts';
import { type Details, detailsAtEnd, priorityOf, priorityPattern } from './details.ts';
import type { Scene } from './plan.ts';
import { isQuoted, quotesIn, type Sentence, withText, written } from './sentence.ts';

/** A todo to be created, as create_todo takes it. */
export interface NewTodo extends Details {
  title: string;
  content?: string;
}

/** The longest title in characters; a longer text goes into the content too. */
const maxTitleLength = 500;

const bullet = /^\s*(?:[-*•–+]|\d{1,2}[.)]|\[[ xX]?\])\s*(?:\[[ xX]?\]\s*)?/;

/** One text a todo: by lines, else where `several` by semicolons, commas and “and”. */
function split(text: string, several: boolean): string[] {
  const lines = text.split('\n').map((line) => line.replace(bullet, '').trim());
  const texts = lines.filter((line) => /[^\s,;:.–-]/.test(line));
  if (texts.length > 1 || !several) return texts;
  const [line = ''] = texts;
  if (line.includes(';')) return line.split(/\s*;\s*(?:and\s+)?/i).filter((part) => part !== '');
  return line.split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s+&\s+/i).filter((part) => part !== '');
}

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (first) => first.toUpperCase());
}

const early = new RegExp(`^(${priorityPattern}|${dayPattern})(?:\\s+priority)?\\s*[:!]\\s*(?=\\S)`, 'i');

function todoOf(scene: Scene, sentence: Sentence, shared: Details): NewTodo | undefined {
  const front = early.exec(sentence.text);
  const priority = priorityOf(front?.[1] ?? '');
  const day = front && !priority ? readDay(front[1] ?? '', scene.today) : undefined;
  const body = front && (priority || day) ? sentence.text.slice(front[0].length) : sentence.text;
  const { rest, details } = detailsAtEnd(scene, withText(sentence, body.replace(/[\s.;,]+$/, '')));
  const text = written(sentence, rest).trim();
  const title = isQuoted(rest) ? text : capitalised(text);
  if (!/[\p{L}\p{N}\p{S}]/u.test(title)) return undefined;
  const more = { ...shared, ...(priority && { priority }), ...(day && { dueDate: day }), ...details };
  const characters = Array.from(title);
  if (characters.length <= maxTitleLength) return { title, ...more };
  return { title: `${characters.slice(0, maxTitleLength - 1).join('')}…`, content: title, ...more };
}

const afterthought =
  /[\s,;]+and\s+((?:make|mark|set|assign|put|file|move|give)\s+(?:it|them|each|all|both)\b.{1,150})$/i;

/** Details in a clause of their own: “… and make it urgent”. */
function readAfterthoughts(scene: Scene, sentence: Sentence): { text: string; details: Details } {
  let { text } = sentence;
  let details: Details = {};
  for (let match = afterthought.exec(text); match; match = afterthought.exec(text)) {
    const found = detailsAtEnd(scene, withText(sentence, match[1] ?? ''), { bare: true, mayBeAll: true });
    const isRead = /^(?:(?:make|mark|set)\s+(?:it|them|each|all|both)(?:\s+(?:as|to))?)?$/i.test(found.rest);
    if (!isRead || Object.keys(found.details).length === 0) break;
    details = { ...found.details, ...details };
    text = text.slice(0, match.index);
  }
  return { text, details };
}

const forAll = /[\s,;]+(?:all|each|both)(?:\s+of\s+them)?\s+(.{1,200})$/i;

/** The todos in the words behind “create”; `shared` are the details of all. */
export function todosOf(scene: Scene, sentence: Sentence, several: boolean, shared: Details): NewTodo[] {
  const after = readAfterthoughts(scene, sentence);
  const tail = several ? forAll.exec(after.text) : null;
  const ofAll = tail && detailsAtEnd(scene, withText(sentence, tail[1] ?? ''), { bare: true, mayBeAll: true });
  const isShared = ofAll !== null && ofAll.rest === '' && tail !== null;
  const text = isShared ? after.text.slice(0, tail.index) : after.text;
  const common = { ...shared, ...after.details, ...(isShared && ofAll.details) };
  const quoted = quotesIn(sentence, text);
  const justQuotes = quoted.length > 1 && text.replaceAll(/\uE000\d+\uE001|[\s,;&]|\band\b/gi, '') === '';
  if (justQuotes) return quoted.map((title) => ({ title, ...common }));
  const texts = split(text, several);
  const [only] = texts;
  if (only === undefined) return [];
  // The list at the end is that of all, as in “milk, eggs and bread to Groceries”.
  const last = detailsAtEnd(scene, withText(sentence, texts.at(-1) ?? ''));
  const { todoListId } = last.details;
  const inList = texts.length > 1 && todoListId !== undefined ? { ...common, todoListId } : common;
  return texts.flatMap((part) => todoOf(scene, withText(sentence, part), inList) ?? []);
}
