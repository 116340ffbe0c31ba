import { dayPattern, readDay } from './date-words.ts';
import { type Details, detailsAtEnd, priorityOf, priorityPattern } from './details.ts';
import { causeOf } from './faults.ts';
import { assigneesOf, knownList, listName } from './names.ts';
import { type NewTodo, todosOf } from './new-todos.ts';
import { type Call, type Done, first, type Plan, respond, type Scene } from './plan.ts';
import { countText, detailsOf, quote, titleOf, todoIn } from './rows.ts';
import { isQuoted, plain, quotedPattern, quotesIn, type Sentence, sentenceOf, withText, written } from './sentence.ts';

/** Most todos that one request creates. */
const maxTodos = 50;

const noun = '(?:todos?|tasks?|action items?|reminders?)';
const verb = '(?:create|add|make|write down|write|put|note down|jot down|set up|record|log|new|open)';
const countWord =
  '(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}|the|these|the following|some|my|another|new)';
const byNoun = new RegExp(
  `^(?:${verb}\\s+)(?:me\\s+|us\\s+)?((?:${countWord}\\s+)*)((?:(?:${priorityPattern})(?:[\\s-]priority)?,?\\s+)*)((?:new\\s+)?${noun})\\b`,
  'i',
);
const byLabel = new RegExp(`^(?:new\\s+)?(${noun})\\s*(?::|\\s[-–]\\s)\\s*(?=\\S)`, 'i');
const byReminder = new RegExp(
  `^(?:remind\\s+(?:me|us)|remember|(?:do\\s+not|don[’']t)\\s+(?:let\\s+me\\s+)?forget)\\s+(?:(?:on\\s+|by\\s+)?(${dayPattern})\\s+)?(?:to|about)\\s+(?:(?:${noun}):?\\s+)?`,
  'i',
);
const byAdd = /^(?:add|put|jot down|note down)\s+(?!up\b|together\b)(?=\S)/i;
/** Things that are added to a todo: “add a comment” creates no todo. */
const parts =
  /^\s*(?:an?|the|some|this|another)\s+(?:comments?|notes?|descriptions?|tags?|labels?|due date|deadline|priority|attachments?|assignees?|subtasks?)\b/i;

/** The text between the noun and the titles: details of all of them. */
const header = new RegExp(
  `^\\s*(?:(?:for|assigned to)\\s+(?<who>[^:,\\n]{1,80}?)|(?:in|to|on|into)\\s+(?:the\\s+|my\\s+|our\\s+)?(?:list\\s+)?(?<list>${quotedPattern}|[^:,\\n]{1,100}?)(?<listWord>\\s+list)?|(?:due\\s+|by\\s+|on\\s+|for\\s+)*(?<due>${dayPattern})|(?:with\\s+|at\\s+)?(?:an?\\s+)?(?<priority>${priorityPattern})\\s+priority)(?=\\s*$|\\s*:|\\s*\\n|\\s+(?:to|called|named|titled|saying)\\b|\\s+${quotedPattern}|\\s+(?:in|due|by|for|with)\\s)`,
  'i',
);
const intro =
  /^\s*(?:,?\s*(?:called|named|titled|entitled|saying|that says|which says|with (?:the )?titles?|with (?:the )?names?|to|about|for|that|as follows|like this))?\s*[:–-]?\s*/i;

/** The details in front of the titles, such as “in Groceries for Ada:”. */
function readHeader(scene: Scene, sentence: Sentence): { rest: string; details: Details } {
  let rest = sentence.text;
  let details: Details = {};
  for (let match = header.exec(rest); match; match = header.exec(rest)) {
    const { who, list, listWord, due, priority } = match.groups ?? {};
    const todoList = list === undefined ? undefined : knownList(scene, sentence, list);
    const asked = list !== undefined && (listWord !== undefined || isQuoted(list)) && !todoList;
    const assignees = who === undefined ? undefined : assigneesOf(scene, sentence, who, false);
    const dueDate = due === undefined ? undefined : readDay(due, scene.today);
    const level = priorityOf(priority ?? '');
    const todoListId = todoList?.id ?? (asked ? (quotesIn(sentence, list)[0] ?? written(sentence, list)) : undefined);
    if (!assignees && todoListId === undefined && dueDate === undefined && !level) break;
    details = {
      ...details,
      ...(assignees && { assignees }),
      ...(todoListId !== undefined && { todoListId }),
      ...(dueDate !== undefined && { dueDate }),
      ...(level && { priority: level }),
    };
    rest = rest.slice(match[0].length);
  }
  return { rest, details };
}

function callOf(todo: NewTodo): Call {
  return { name: 'create_todo', input: { ...todo } };
}

function createdLine(scene: Scene, { output, input }: Done): string {
  const todo = todoIn(output);
  if (!todo) return quote(String(input.title));
  const list = todo.todoListId ? scene.facts.workspace.lists.find(({ id }) => id === todo.todoListId) : undefined;
  const assigned = todo.assignees ?? [];
  const others = assigned.some(({ id, name }) => id !== scene.facts.person.id && name !== scene.facts.person.name);
  const about = [
    list ? `in ${quote(list.name)}` : '',
    detailsOf({ ...todo, assignees: others ? assigned : [] }, scene.today),
  ];
  const details = about.filter(Boolean).join('; ');
  return details === '' ? titleOf(todo) : `${titleOf(todo)} (${details})`;
}

function report(scene: Scene, done: readonly Done[]): Plan {
  const made = done.filter(({ isError }) => !isError);
  const failed = done.filter(({ isError }) => isError);
  const [only] = made;
  const parts: string[] = [];
  if (only && made.length === 1) parts.push(`I created the todo ${createdLine(scene, only)}.`);
  if (made.length > 1) {
    const lines = made.map((each, place) => `${place + 1}. ${createdLine(scene, each)}`);
    parts.push(`I created ${countText(made.length, 'todo')}:\n\n${lines.join('\n')}`);
  }
  for (const each of failed) parts.push(`I did not create ${quote(String(each.input.title))}: ${causeOf(each)}.`);
  const rows = made.flatMap(({ output }) => todoIn(output) ?? []);
  return respond(parts.join('\n\n'), { isDone: failed.length === 0, ...(made.length > 1 && { rows }) });
}

function planFor(scene: Scene, todos: readonly NewTodo[]): Plan {
  if (todos.length > maxTodos) {
    const message = `That would be ${todos.length} todos, and I create at most ${maxTodos} at once. I created none; please send them in several messages.`;
    return respond(message);
  }
  return first(todos.map(callOf), (done) => report(scene, done));
}

function askForTitle(scene: Scene, shared: Details): Plan {
  const where = shared.todoListId ? ` in ${quote(listName(scene, shared.todoListId))}` : '';
  return respond(`What should the todo${where} say? Send me its title.`, {
    reply: (words) => {
      const todos = todosOf(scene, plain(sentenceOf(words)), false, shared);
      return todos.length === 0 ? askForTitle(scene, shared) : planFor(scene, todos);
    },
  });
}

function wordsFor(
  scene: Scene,
  sentence: Sentence,
): { sentence: Sentence; several: boolean; shared: Details } | undefined {
  const { text } = sentence;
  const named = byNoun.exec(text);
  if (named) {
    const priority = priorityOf((named[2] ?? '').trim().split(/[\s,-]/)[0] ?? '');
    const { rest, details } = readHeader(scene, withText(sentence, text.slice(named[0].length)));
    const titles = rest.replace(/^\s+(?=to\s)/i, '').replace(intro, '');
    const shared = { ...(priority && { priority }), ...details };
    return { sentence: withText(sentence, titles), several: /s$/i.test(named[3] ?? ''), shared };
  }
  const label = byLabel.exec(text);
  if (label) {
    const several = /s$/i.test(label[1] ?? '');
    return { sentence: withText(sentence, text.slice(label[0].length)), several, shared: {} };
  }
  if (scene.isRun) return undefined;
  const reminder = byReminder.exec(text);
  if (reminder) {
    const dueDate = reminder[1] === undefined ? undefined : readDay(reminder[1], scene.today);
    const shared = dueDate === undefined ? {} : { dueDate };
    return { sentence: withText(sentence, text.slice(reminder[0].length)), several: false, shared };
  }
  const added = byAdd.exec(text);
  if (!added) return undefined;
  const { rest, details } = readHeader(scene, withText(sentence, ` ${text.slice(added[0].length)}`));
  const titles = withText(sentence, rest.replace(/^\s*:?\s*/, ''));
  const toList = detailsAtEnd(scene, titles).details.todoListId !== undefined || details.todoListId !== undefined;
  if ((/^put/i.test(text) && !toList) || parts.test(titles.text)) return undefined;
  return { sentence: titles, several: toList || titles.text.includes(','), shared: details };
}

/** Requests to create todos, such as “add milk and eggs to Groceries” or “create a todo to call Ada by Friday”. */
export function readCreate(scene: Scene, sentence: Sentence): Plan | undefined {
  const words = wordsFor(scene, sentence);
  if (!words) return undefined;
  const todos = todosOf(scene, words.sentence, words.several, words.shared);
  if (todos.length === 0) return scene.isRun ? undefined : askForTitle(scene, words.shared);
  return planFor(scene, todos);
}
