import { dayPattern, readDay, weekdayShort } from './date-words.ts';
import { type Details, detailsAtEnd, priorityOf, priorityPattern } from './details.ts';
import { causeOf } from './faults.ts';
import { assigneeName, assigneesOf, knownAssignee, knownList, listName } from './names.ts';
import { type Call, first, type Plan, type Scene, type Step, say } from './plan.ts';
import { dayText, listed, quote, type Row, shown, titleOf, todoIn } from './rows.ts';
import { quotesIn, type Sentence, withText, written } from './sentence.ts';
import { targetOf } from './targets.ts';
import { type Work, workOn } from './work.ts';

/** New values of a todo, as update_todo takes them. */
interface Changes {
  title?: string;
  status?: 'ready' | 'in_progress';
  priority?: Details['priority'] | null;
  dueDate?: string | null;
  todoListId?: string;
  assignees?: { id: string }[];
}

function titles(rows: readonly Row[], done: Step): string[] {
  return done.map(({ output }, place) => {
    const row = todoIn(output) ?? rows[place];
    return row?.title || row?.content ? titleOf(row) : 'the todo';
  });
}

/** Calls a tool for each todo, and says what came of it: `said` is told of those that succeeded. */
function act(rows: readonly Row[], callFor: (row: Row) => Call, verb: string, said: (titles: string) => string): Plan {
  return first(rows.map(callFor), (done) => {
    const named = titles(rows, done);
    const good = named.filter((_, place) => !done[place]?.isError);
    const parts = good.length > 3 ? [said(`${good.length} todos`), good.map((each) => `- ${each}`).join('\n')] : [];
    if (good.length > 0 && good.length <= 3) parts.push(said(listed(good)));
    for (const [place, each] of done.entries()) {
      if (each.isError) parts.push(`I did not ${verb} ${named[place]}: ${causeOf(each)}.`);
    }
    return say(parts.join('\n\n'), { isDone: good.length === rows.length });
  });
}

function simple(tool: string, verb: string, done: string, filter: Work['filter'], otherwise?: string): Work {
  const callFor = ({ id }: Row): Call => ({ name: tool, input: { todoId: id } });
  return {
    verb,
    filter,
    ...(otherwise && { otherwise }),
    act: (rows) => act(rows, callFor, verb, (named) => done.replace('%', named)),
  };
}

const completing = simple('complete_todo', 'complete', 'I completed %.', { status: 'active' }, 'is done already');
const reopening = simple('reopen_todo', 'reopen', 'I reopened %.', { status: 'done' }, 'is open already');
const archiving = {
  ...simple('archive_todo', 'archive', 'I archived %. Archived todos can be brought back.', {}),
  isCautious: true,
};
const restoring = simple(
  'unarchive_todo',
  'bring back',
  'I brought back %.',
  { includeArchived: true },
  'is not archived',
);

function toldChanges(scene: Scene, changes: Changes): string {
  const { title, status, priority, dueDate, todoListId, assignees } = changes;
  const people = (assignees ?? []).map(({ id }) =>
    id === scene.facts.person.id ? 'you' : shown(assigneeName(scene, id)),
  );
  const parts = [
    title === undefined ? '' : `is now called ${quote(title)}`,
    status === 'in_progress' ? 'is in progress' : status === 'ready' ? 'is ready' : '',
    priority === undefined ? '' : priority === null ? 'has no priority any more' : `has the priority ${priority}`,
    dueDate === undefined
      ? ''
      : dueDate === null
        ? 'has no due date any more'
        : `is due ${dayText(dueDate, scene.today)}`,
    todoListId === undefined ? '' : `is in the list ${quote(listName(scene, todoListId))}`,
    assignees === undefined ? '' : people.length === 0 ? 'is assigned to nobody' : `is assigned to ${listed(people)}`,
  ];
  return listed(parts.filter(Boolean));
}

function updating(scene: Scene, changes: Changes): Work {
  const callFor = ({ id }: Row): Call => ({ name: 'update_todo', input: { todoId: id, ...changes } });
  const told = toldChanges(scene, changes);
  const plural = told.replaceAll(/\bis\b/g, 'are').replaceAll(/\bhas\b/g, 'have');
  return {
    verb: 'change',
    filter: {},
    act: (rows) =>
      changes.title !== undefined && rows.length > 1
        ? say('One title is for one todo. Tell me which of them to rename.')
        : act(rows, callFor, 'change', (named) => `Changed: ${named} ${rows.length > 1 ? plural : told}.`),
  };
}

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

function readMove([, target, words = '', said]: RegExpExecArray, scene: Scene, sentence: Sentence) {
  const dueDate = readDay(words, scene.today);
  if (dueDate !== undefined) return change(target, scene, { dueDate });
  const name = quotesIn(sentence, words)[0] ?? written(sentence, words);
  const list = knownList(scene, sentence, words)?.id ?? name.replace(/^(?:the|my|our)\s+/i, '');
  return said || quotesIn(sentence, words).length > 0 || !scene.isRun
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
