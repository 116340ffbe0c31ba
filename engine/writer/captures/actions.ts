import type { Action, SentenceContext } from './commitments.ts';
import { inTurns } from './in-turns.ts';
import { actionHeading, actionLabel } from './labels.ts';
import type { Passage, Reading } from './passages.ts';
import { shortened } from './plain-text.ts';
import { quotation } from './sentences.ts';
import { captureLimits, type SuggestedTodo } from './shapes.ts';
import { isOrder, taskOf, tasksIn } from './tasks.ts';
import { wordsOf } from './words.ts';

/** A todo, the sentence that names it, and whether somebody wrote it down as a task. */
interface Found extends Action {
  sentence: string;
  speaker: string | null;
  source: Passage['source'];
  isWritten: boolean;
  /** The words of the title. */
  key: Set<string>;
}

/** Todos that are found before the best are chosen, so that time stays linear. */
const maxFound = 200;

const minor = new Set([
  'the',
  'a',
  'an',
  'to',
  'of',
  'and',
  'for',
  'our',
  'my',
  'your',
  'their',
  'his',
  'her',
  'please',
]);

function keyOf(title: string): Set<string> {
  return new Set(
    wordsOf(title)
      .filter(({ key }) => !minor.has(key))
      .map(({ stem }) => stem),
  );
}

/** Whether two titles name the same action: the same words but for one in four. */
function isSame(one: Found, other: Found): boolean {
  if (one.assignee !== null && other.assignee !== null && one.assignee !== other.assignee) return false;
  const both = [...one.key].filter((key) => other.key.has(key)).length;
  const all = one.key.size + other.key.size - both;
  return all > 0 && both / all >= 0.75;
}

function isOpenHeading({ mark, text }: Passage): boolean {
  const plain = text.replaceAll(/[*_#]/g, '').trim();
  return (mark === 'heading' || mark === 'plain' || mark === 'item') && plain.length <= 60 && actionHeading.test(plain);
}

/**
 * Whether a line below a heading such as “Next steps” is a step although it has no list mark: it is an order, or it
 * begins with the name of who does it.
 */
function isListed(sentence: string, { names }: SentenceContext): boolean {
  const name = /^@?(\p{L}[^:：,–—]{0,58}?)(?:\s*[:：]|\s+[–—-]\s|\s+(?:to|will)\s)/u.exec(sentence)?.[1];
  return isOrder(sentence) || (name !== undefined && names.find(name) !== undefined);
}

interface Named {
  sentence: string;
  action: Action;
  isWritten: boolean;
}

const maxTaskLength = 600;

/** “TODO: x” is the shortest. */
const minTaskLength = 7;

/** What one passage names as to be done. */
function actionsOf(passage: Passage, isUnderHeading: boolean, context: SentenceContext): Named[] {
  const { mark, sentences, speaker, isSpoken } = passage;
  const whole = sentences.join(' ');
  const written = speaker === null || isSpoken ? whole : `${speaker}: ${whole}`;
  if (mark === 'task' || (isUnderHeading && (mark === 'item' || isListed(written, context)))) {
    const action = written.length > maxTaskLength ? undefined : taskOf(written, context);
    return action ? [{ sentence: whole, action, isWritten: true }] : [];
  }
  return sentences.flatMap((sentence) => {
    if (sentence.length < minTaskLength) return [];
    // In a note “Ada: send the report by Friday” assigns it to her; in a transcript she is the speaker.
    const given =
      !isSpoken && speaker !== null && isOrder(sentence) ? taskOf(`${speaker}: ${sentence}`, context) : undefined;
    if (given && given.dueDate !== null) return [{ sentence, action: given, isWritten: true }];
    const isWritten = actionLabel.test(sentence);
    return tasksIn(sentence, context).map((action) => ({ sentence, action, isWritten }));
  });
}

async function findAll({ passages, names }: Reading, date: string, signal: AbortSignal): Promise<Found[]> {
  const found: Found[] = [];
  let isUnderHeading = false;
  await inTurns(passages, signal, (passage) => {
    const { mark, speaker, source, isSpoken } = passage;
    if (found.length >= maxFound || mark === 'done' || mark === 'quote' || mark === 'table') return;
    if (isOpenHeading(passage)) {
      isUnderHeading = true;
      return;
    }
    if (mark === 'heading' || (isSpoken && speaker !== null)) isUnderHeading = false;
    const here = actionsOf(passage, isUnderHeading, { speaker, names, date });
    if (mark === 'plain' && here.length === 0) isUnderHeading = false;
    for (const { sentence, action, isWritten } of here)
      found.push({ ...action, sentence, speaker, source, isWritten, key: keyOf(action.title) });
  });
  return found;
}

/**
 * Every action once. Of two that are the same the first stays; a later one fills in what it lacks or changes its day.
 */
function once(found: readonly Found[]): Found[] {
  const unique: Found[] = [];
  for (const each of found) {
    const same = unique.find((other) => isSame(other, each));
    if (!same) {
      unique.push({ ...each });
      continue;
    }
    const isLater = same.source === each.source && each.dueDate !== null;
    same.dueDate = isLater ? each.dueDate : (same.dueDate ?? each.dueDate);
    same.assignee ??= each.assignee;
    same.isWritten ||= each.isWritten;
  }
  return unique;
}

function todoOf({ title, dueDate, assignee, sentence, speaker }: Found): SuggestedTodo {
  const isAll = speaker === null && sentence === title;
  const content = isAll ? null : quotation(shortened(sentence, captureLimits.todoContent - 200), speaker);
  return { title, content, dueDate, assignee };
}

/** The todos that the material names, and the sentences that name them. */
export interface Actions {
  todos: SuggestedTodo[];
  sentences: ReadonlySet<string>;
}

/**
 * The explicit actions of the material, in its order; when they are more than 20, what was written down as a
 * task precedes what was spoken. Titles are without the day, the quotation is in `content`.
 * @throws the signal's reason, when it is aborted.
 */
export async function actionsIn(reading: Reading, date: string, signal: AbortSignal): Promise<Actions> {
  const all = once(await findAll(reading, date, signal));
  const first = new Set(
    [...all].sort((a, b) => Number(b.isWritten) - Number(a.isWritten)).slice(0, captureLimits.todos),
  );
  const found = all.filter((each) => first.has(each));
  return { todos: found.map(todoOf), sentences: new Set(found.map(({ sentence }) => sentence)) };
}
