import { archiving, type Changes, completing, reopening, restoring, updating } from './change-work.ts';
import { dayPattern, readDay, weekdayShort } from './date-words.ts';
import { detailsAtEnd, priorityOf, priorityPattern } from './details.ts';
import { assigneesOf, knownAssignee, knownList } from './names.ts';
import type { Plan, Scene } from './plan.ts';
import { quotesIn, type Sentence, withText, written } from './sentence.ts';
import { targetOf } from './targets.ts';
import { type Work, workOn } from './work.ts';

/** What a request is about, and what is to be done with it. */
type Reading = { target: string; work: Work };
type Reader = [shape: RegExp, read: (match: RegExpExecArray, scene: Scene, sentence: Sentence) => Reading | undefined];

const day = `${dayPattern}|${weekdayShort}`;
const done = '(?:done|complete|completed|finished|closed|resolved)';
const open = '(?:open|undone|not done|incomplete|unfinished|not finished|todo|ready)';
const remover = '(?:remove|clear|delete|drop|unset)';

const change = (target: string | undefined, scene: Scene, changes: Changes | undefined): Reading | undefined =>
  changes === undefined || !target ? undefined : { target, work: updating(scene, changes) };
const date = (words: string | undefined, { today }: Scene): Changes | undefined => {
  const dueDate = readDay(words ?? '', today);
  return dueDate === undefined ? undefined : { dueDate };
};
const level = (word: string | undefined): Changes | undefined => {
  const priority = priorityOf(word ?? '');
  return priority && { priority };
};

function readMove([, target, words = '', listWord]: RegExpExecArray, scene: Scene, sentence: Sentence) {
  const dueDate = readDay(words, scene.today);
  if (dueDate !== undefined) return change(target, scene, { dueDate });
  const name = quotesIn(sentence, words)[0] ?? written(sentence, words);
  const list = knownList(scene, sentence, words)?.id ?? name.replace(/^(?:the|my|our)\s+/i, '');
  return listWord || quotesIn(sentence, words).length > 0 || !scene.isRun
    ? change(target, scene, { todoListId: list })
    : undefined;
}

function readAssign([, one = '', other = '']: RegExpExecArray, scene: Scene, sentence: Sentence) {
  const turned = knownAssignee(scene, sentence, one) !== undefined && !knownAssignee(scene, sentence, other);
  const [target, names] = turned ? [other, one] : [one, other];
  const assignees = assigneesOf(scene, sentence, names, true);
  return change(target, scene, assignees && { assignees });
}

/** Words that certainly mean a todo: its title in quotation marks, the word itself, or “it”. */
const certain = /\uE000|\b(?:todos?|tasks?)\b|^(?:it|that|this|#?\d{1,2})$/i;
const ofTodos = /\b(?:due|deadline|priority|urgent|critical|important)\b/i;

/** “make X urgent and due Friday”: details at the end, the todo in front of them. */
function readSet([, body = '']: RegExpExecArray, scene: Scene, sentence: Sentence): Reading | undefined {
  const { rest, details } = detailsAtEnd(scene, withText(sentence, body), { bare: true });
  if (Object.keys(details).length === 0 || rest === '') return undefined;
  if (!certain.test(rest) && !ofTodos.test(body)) return undefined;
  return change(rest.replace(/\s+(?:as|to|is|and)$/i, ''), scene, details);
}

/** The shapes of requests, in the order in which they are tried. */
const readers: Reader[] = [
  [
    /^(?:rename|retitle)\s+(.+?)\s+(?:to|into|as)\s+(?:be\s+)?(.+)$/i,
    ([, target, title = ''], scene, sentence) => change(target, scene, { title: written(sentence, title) }),
  ],
  [
    /^(?:change|set)\s+the\s+(?:title|name)\s+of\s+(.+?)\s+(?:to|into)\s+(.+)$/i,
    ([, target, title = ''], scene, sentence) => change(target, scene, { title: written(sentence, title) }),
  ],
  [
    new RegExp(`^${remover}\\s+the\\s+(?:due\\s+date|deadline)\\s+(?:of|from|on|for)\\s+(.+)$`, 'i'),
    ([, target], scene) => change(target, scene, { dueDate: null }),
  ],
  [
    new RegExp(`^${remover}\\s+the\\s+priority\\s+(?:of|from|on|for)\\s+(.+)$`, 'i'),
    ([, target], scene) => change(target, scene, { priority: null }),
  ],
  [/^(?:unassign)\s+(.+)$/i, ([, target], scene) => change(target, scene, { assignees: [] })],
  [
    new RegExp(
      `^(?:set|change|move|push|make)\\s+the\\s+(?:due\\s+date|deadline)\\s+(?:of|for|on)\\s+(.+?)\\s+(?:to|as|on|by)\\s+(${day})$`,
      'i',
    ),
    ([, target, words], scene) => change(target, scene, date(words, scene)),
  ],
  [
    new RegExp(
      `^(?:set|change|raise|lower|make)\\s+the\\s+priority\\s+(?:of|for|on)\\s+(.+?)\\s+(?:to|as)\\s+(${priorityPattern})$`,
      'i',
    ),
    ([, target, word], scene) => change(target, scene, level(word)),
  ],
  [
    new RegExp(
      `^(?:postpone|delay|defer|reschedule|push(?:\\s+back)?|bring\\s+forward|snooze)\\s+(.+?)\\s+(?:to|until|till|for|by)\\s+(${day})$`,
      'i',
    ),
    ([, target, words], scene) => change(target, scene, date(words, scene)),
  ],
  [/^(?:assign|give(?!\s+(?:me|us)\b)|hand(?:\s+over)?|delegate)\s+(.+?)\s+to\s+(.+)$/i, readAssign],
  [/^(?:move|transfer)\s+(.+)\s+(?:to|into|onto)\s+(?:list\s+)?(.+?)(\s+list)?$/i, readMove],
  [/^(?:put|file)\s+(.+)\s+(?:in|into|on|onto)\s+(?:list\s+)?(.+?)(\s+list)?$/i, readMove],
  [
    /^(?:mark|set|check|flag|move)\s+(.+?)\s+(?:as\s+|to\s+|to be\s+)?(?:in[ -]progress|started)$/i,
    ([, target], scene) => change(target, scene, { status: 'in_progress' }),
  ],
  [
    /^(?:start|begin)\s+(?:working\s+on\s+|work\s+on\s+|with\s+)?(.+)$/i,
    ([, target = ''], scene) => (certain.test(target) ? change(target, scene, { status: 'in_progress' }) : undefined),
  ],
  [
    new RegExp(`^(?:mark|set|flag)\\s+(.+?)\\s+(?:as\\s+|to\\s+)?${open}(?:\\s+again)?$`, 'i'),
    ([, target = '']) => ({ target, work: reopening }),
  ],
  [
    new RegExp(`^(?:mark|set|check|tick|flag)\\s+(.+?)\\s+(?:as\\s+|to\\s+)?${done}$`, 'i'),
    ([, target = '']) => ({ target, work: completing }),
  ],
  [
    new RegExp(`^(?:mark|set|flag)\\s+(?:as\\s+)?${done}:?\\s+(.+)$`, 'i'),
    ([, target = '']) => ({ target, work: completing }),
  ],
  [/^(?:check|tick|cross|strike)\s+off\s+(.+)$/i, ([, target = '']) => ({ target, work: completing })],
  [
    /^(?:check|tick|cross|strike)\s+(.+?)\s+off(?:\s+(?:my|the)\s+(?:todo\s+)?list)?$/i,
    ([, target = '']) => ({ target, work: completing }),
  ],
  [/^(?:complete|done(?:\s+with)?:?)\s+(.+)$/i, ([, target = '']) => ({ target, work: completing })],
  [
    /^(?:finish|close|resolve)\s+(.+)$/i,
    ([, target = '']) => (certain.test(target) ? { target, work: completing } : undefined),
  ],
  [
    /^(?:i|we)\s+(?:have\s+|just\s+|have just\s+|am\s+|are\s+)?(?:finished|completed|done)(?:\s+with)?\s+(.+)$/i,
    ([, target = ''], { isRun }) => (isRun ? undefined : { target, work: completing }),
  ],
  [
    /^(.+?)\s+(?:is|are)\s+(?:now\s+)?(?:done|complete|completed|finished)$/i,
    ([, target = ''], { isRun }) =>
      isRun || /^(?:what|which|how|who|that)\b/i.test(target) ? undefined : { target, work: completing },
  ],
  [
    /^(?:reopen|re-open|uncomplete|unfinish|uncheck|untick)\s+(.+)$/i,
    ([, target = '']) => ({ target, work: reopening }),
  ],
  [/^bring\s+(.+)\s+back$/i, ([, target = ''], { isRun }) => (isRun ? undefined : { target, work: restoring })],
  [
    /^(?:unarchive|restore|bring\s+back|undelete|recover)\s+(?:the\s+archived\s+)?(.+?)(?:\s+from\s+the\s+archive)?$/i,
    ([, target = ''], { isRun }) => (isRun ? undefined : { target, work: restoring }),
  ],
  [
    /^(?:archive|delete|remove|trash|discard|erase|get\s+rid\s+of)\s+(.+)$/i,
    ([, target = ''], { isRun }) => (isRun ? undefined : { target, work: archiving }),
  ],
  [/^(?:make|mark|set(?!\s+up\b)|update|change|flag|prioriti[sz]e)\s+(.+)$/i, readSet],
];

/** Requests to change, complete, reopen, archive or bring back todos that there are. */
export function readChange(scene: Scene, sentence: Sentence): Plan | undefined {
  if (sentence.text.includes('\n')) return undefined;
  for (const [shape, read] of readers) {
    const match = shape.exec(sentence.text);
    const reading = match && read(match, scene, sentence);
    if (!reading) continue;
    const target = targetOf(scene, withText(sentence, reading.target));
    if (target) return workOn(scene, target, reading.work);
  }
  return undefined;
}
