import { type Due, dueIn, withoutDue } from './due.ts';
import type { NameBook } from './people.ts';
import { titleOfAction } from './titles.ts';
import { errands, noWork, work } from './verbs.ts';

/** Something to be done that a sentence of the material states. */
export interface Action {
  title: string;
  dueDate: string | null;
  assignee: string | null;
}

/** The speaker and the day of a sentence, and the names that may occur in it. */
export interface SentenceContext {
  speaker: string | null;
  names: NameBook;
  /** `YYYY-MM-DD`. */
  date: string;
}

const fillers =
  '(?:(?:ok(?:ay)?|so|yes|yep|yeah|sure|great|alright|all right|right|well|also|fine|perfect|then|and|but|actually|u+m+|u+h+|er+m?|h?m+|cool|thanks|thank you|now|good|no problem|sounds good|of course|absolutely|agreed|exactly|anyway|finally|next|afterwards|after that|in the meantime)[\\s,.!…-]+){0,4}';
const verbForms = {
  will: "(?:\\s+(?:will|shall)|'ll|(?:\\s+(?:am|are|is)|'m|'re|'s)\\s+(?:going\\s+to|gonna))",
  duty: "(?:\\s+(?:must|need(?:s)?\\s+to|ha(?:s|ve)\\s+(?:got\\s+)?to|gotta|(?:is|are|am)\\s+to)|'(?:ve|s)\\s+got\\s+to)",
  promise:
    '(?:\\s+(?:(?:has|have)\\s+)?(?:agree[ds]?|promise[ds]?|volunteer(?:s|ed)?|offer(?:s|ed)?|commit(?:s|ted)?)\\s+to)',
  minutes: '(?:\\s+to)',
};
const verbForm = Object.entries(verbForms)
  .map(([name, pattern]) => `(?<${name}>${pattern})`)
  .join('|');
const adverbs =
  '(?:(?:also|then|definitely|certainly|gladly|happily|personally|really|finally|still|just|first|both|each|now)\\s+){0,3}';

/** One clause from its subject on: “Ada Lovelace will also send”. */
const clause = new RegExp(
  `${fillers}(?<subject>I|we|\\p{L}[^,;:.!?"“”()]{0,60}?)(?:${verbForm})\\s+${adverbs}(?<verb>[a-z][a-z-]*)\\b`,
  'iuy',
);
const start = /^|[,;]\s+|\s[–—-]\s|\s(?:and|but|so|then)\s+/gi;

const supposing =
  /\b(?:if|unless|would|could|might|may|maybe|perhaps|suppose|supposing|assuming|imagine|whether|wish|hope|hopefully|ideally|think|thought|guess|doubt|not sure|say|says|said|told|claims?|hypothetically|example|pretend)\b/i;
const doubtful =
  /\b(?:if|unless|in case|assuming|provided that|maybe|perhaps|probably|possibly|hopefully|or not|would|might|nothing|no such)\b/i;
const asks = /^(?:check|ask|see|find|test|verify|confirm|investigate|know|decide|clarify|look|tell)$/;
const atOnce =
  /\b(?:right now|now|real quick|quickly|in a (?:sec|second|minute|moment|bit)|(?:for )?(?:a|one|just a) (?:sec|second|minute|moment)|(?:my|the) screen|(?:in|into|to) the chat|first|start by|here)\b/i;
const pronoun =
  /^(?:it|that|this|these|those|them|him|her|you|me|us|one|some|something|everything|all|there|up|over|on)\b/i;

/** Most clauses of one sentence that are looked at. */
const maxClauses = 20;

interface Clause {
  groups: Record<string, string | undefined>;
  from: number;
  /** Where the verb begins. */
  verbAt: number;
}

function clausesOf(sentence: string): Clause[] {
  const found: Clause[] = [];
  for (const match of sentence.matchAll(start)) {
    if (found.length >= maxClauses) break;
    clause.lastIndex = match.index + match[0].length;
    const hit = clause.exec(sentence);
    // “And Bob will” of “Ada and Bob will” is no clause of its own.
    if (!hit?.groups || match.index < (found.at(-1)?.verbAt ?? 0)) continue;
    const { verb = '' } = hit.groups;
    found.push({ groups: hit.groups, from: match.index, verbAt: hit.index + hit[0].length - verb.length });
  }
  return found;
}

type Subject = { kind: 'speaker' | 'we' | 'person'; person: string | null };

function subjectOf(words: string, { speaker, names }: SentenceContext): Subject | undefined {
  if (/^i$/i.test(words)) {
    return { kind: 'speaker', person: speaker === null ? null : (names.find(speaker)?.person ?? null) };
  }
  if (/^we(?: (?:all|both))?$/i.test(words)) return { kind: 'we', person: null };
  // A name is written as one: “will”, “mark” and “may” are words too.
  if (/^\p{Ll}/u.test(words)) return undefined;
  const whole = words
    .replace(/^@/, '')
    .replace(/^(?:Dr|Mr|Mrs|Ms|Prof)\.?\s+/, '')
    .replace(/\s+(?:from|of|in|at)\s+.{2,30}$/i, '');
  const found = names.find(whole);
  if (found) return { kind: 'person', person: found.person };
  const several = whole.split(/\s*,\s*|\s+(?:and|&|or)\s+/);
  const areNames = several.length > 1 && several.every((each) => names.find(each) !== undefined);
  return areNames ? { kind: 'person', person: null } : undefined;
}

/** Whether what follows the verb is a thing to be done to, and not “it” or nothing. */
function hasObject(rest: string): boolean {
  const object = rest
    .replace(/^\s*(?:up|out|over|off|down|together)\s+/i, '')
    .replace(/^\s*(?:you(?: all| guys| both)?|everyone|everybody|back to|out to|up with|up on)\s+/i, '')
    .trim();
  return !pronoun.test(object) && object.split(/\s+/).length >= 2;
}

const isAdverb = /(?<!app|rep|supp|comp|re|mu?l?tip|f|assemb)ly$/;
const isReady = /^have\s.+\b(?:ready|done|finished|complete|completed|prepared|fixed|in place)\b/i;

function isAction({ groups }: Clause, subject: Subject, action: string, due: Due | undefined, today: string): boolean {
  const verb = (groups.verb ?? '').toLowerCase();
  const rest = action.slice(verb.length);
  const isDated = due !== undefined && due.date >= today;
  if (doubtful.test(rest) && !(asks.test(verb) && /^[^,]*\b(?:if|whether)\b/i.test(rest))) return false;
  if (isDated && isReady.test(action)) return true;
  if (noWork.has(verb) || isAdverb.test(verb)) return false;
  // “Write to”, but “look at”: a verb that needs its particle.
  if (verb === 'look' && !/^\s+into\b/i.test(rest)) return false;
  if (rest.trim() === '' || /^\s*[.,;!]/.test(rest)) return false;
  if (groups.minutes !== undefined) return subject.kind === 'person' && work.has(verb);
  if (subject.kind === 'we') return isDated && work.has(verb);
  if (isDated) return groups.duty === undefined || work.has(verb);
  if (groups.duty !== undefined || atOnce.test(action)) return false;
  return errands.has(verb) && hasObject(rest);
}

/** The day of “By Friday, Ada will …”. */
function dueInFront(words: string, today: string): Due | undefined {
  const due = dueIn(words, today);
  return due && /^\P{L}*$/u.test(words.slice(0, due.from)) && due.to === words.trimEnd().length ? due : undefined;
}

/**
 * The commitments of a sentence: “Ada will send the report by Friday”, “I'm going to call Bob tomorrow”,
 * “Bob to book the room by Monday”. Nothing that is denied, asked or supposed, and no forecast of the weather.
 */
export function commitmentsIn(sentence: string, context: SentenceContext): Action[] {
  if (/[?？]["”’')\s]*$/.test(sentence)) return [];
  const plain = sentence.replaceAll('’', "'");
  const clauses = clausesOf(plain).flatMap((each) => {
    const subject = subjectOf(each.groups.subject ?? '', context);
    return subject ? [{ each, subject }] : [];
  });
  return clauses.flatMap(({ each, subject }, place) => {
    if (supposing.test(plain.slice(0, each.from))) return [];
    // “Bob to book the room” begins a line; within one “to” is a direction.
    if (each.groups.minutes !== undefined && (subject.kind !== 'person' || /\p{L}/u.test(plain.slice(0, each.from))))
      return [];
    const action = sentence.slice(each.verbAt, clauses[place + 1]?.each.from ?? sentence.length);
    const within = dueIn(action, context.date);
    const due = within ?? (place === 0 ? dueInFront(plain.slice(0, each.from), context.date) : undefined);
    if (!isAction(each, subject, action.replaceAll('’', "'"), due, context.date)) return [];
    const isDue = due !== undefined && due.date >= context.date;
    const title = titleOfAction(isDue && within ? withoutDue(action, within) : action);
    return [{ title, dueDate: isDue ? due.date : null, assignee: subject.person }];
  });
}
