import { z } from 'zod';
import { ModelFault } from '../../engine.ts';
import { exists } from '../../offline/calendar.ts';
import { cleanText } from '../../providers/text.ts';
import { nameBook } from './people.ts';
import { shortened, withoutMarkdown } from './plain-text.ts';
import { type CaptureDigest, captureLimits, hasText, type PartPoints, type SuggestedTodo } from './shapes.ts';

/** Characters of one point. */
const maxPointLength = 400;
const maxPoints = 15;

/** The fault of an answer that cannot be used. */
export function unusable(cause?: unknown): ModelFault {
  const message =
    'The model did not answer in the requested form. Try again in a minute; if this continues, the operator of this service must choose another AI_SUMMARIES_MODEL or raise AI_MAX_OUTPUT_TOKENS.';
  return new ModelFault(message, { retryable: true, cause });
}

/** The object in an answer, without what surrounds it: a code fence, words, reasoning. @throws ModelFault. */
function objectIn(answer: string): unknown {
  const thought = answer.trimStart().startsWith('<think>') ? answer.lastIndexOf('</think>') : -1;
  const json = answer.slice(thought + 1);
  try {
    return JSON.parse(json.slice(json.indexOf('{'), json.lastIndexOf('}') + 1));
  } catch (cause) {
    throw unusable(cause);
  }
}

/** Text as it may be stored: line breaks and tabs stay, other control characters are removed. */
function clean(text: string): string {
  return cleanText(text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .trim();
}

function lineOf(text: string | null | undefined, maxLength: number): string | null {
  const line = withoutMarkdown(clean(text ?? '').slice(0, maxLength * 8))
    .replaceAll('\n', ' ')
    .replace(/^(["“'«])(.*)(["”'»])$/, '$2')
    .trim();
  return hasText(line) ? shortened(line, maxLength) : null;
}

/** At most `maxLength` characters, cut at the end of a line if there is one in the second half. */
function textOf(text: string | null | undefined, maxLength: number): string | null {
  const whole = clean(text ?? '');
  if (!hasText(whole)) return null;
  const characters = Array.from(whole);
  if (characters.length <= maxLength) return whole;
  const head = characters.slice(0, maxLength - 2).join('');
  const lineEnd = head.lastIndexOf('\n');
  return `${(lineEnd > head.length / 2 ? head.slice(0, lineEnd) : head).trimEnd()}\n…`;
}

const Text = z.string().nullish();
const Todo = z.union([
  z.object({ title: z.string(), content: Text.catch(null), dueDate: Text.catch(null), assignee: Text.catch(null) }),
  z.string().transform((title) => ({ title, content: null, dueDate: null, assignee: null })),
]);
const Todos = z.array(z.unknown()).nullish();
const Whole = z.object({ title: Text.catch(null), subtitle: Text.catch(null), summary: z.string(), todos: Todos });
const Points = z.object({ points: z.array(z.string()), todos: Todos });

/**
 * The suggested todos that have a title. A day that does not exist is left out, and so is an assignee who is none of
 * `people`. @throws ModelFault when none of those given can be read.
 */
function todosOf(given: readonly unknown[], people: readonly string[]): SuggestedTodo[] {
  const names = nameBook(people);
  const read = given.flatMap((each) => Todo.safeParse(each).data ?? []);
  if (given.length > 0 && read.length === 0) throw unusable();
  const todos = read.flatMap(({ title: words, content, dueDate, assignee }) => {
    const title = lineOf(words, captureLimits.todoTitle);
    if (title === null) return [];
    const day = dueDate?.trim() ?? '';
    const person = assignee ? (names.find(assignee)?.person ?? null) : null;
    const more = textOf(content, captureLimits.todoContent);
    return [{ title, content: more, dueDate: exists(day) ? day : null, assignee: person }];
  });
  return todos.slice(0, captureLimits.todos);
}

/** The digest in an answer. @throws ModelFault when there is none, or a title is wanted and missing. */
export function digestIn(answer: string, people: readonly string[], wantsTitle: boolean): CaptureDigest {
  const { data, error } = Whole.safeParse(objectIn(answer));
  if (!data) throw unusable(error);
  const summary = textOf(data.summary, captureLimits.summary);
  const title = wantsTitle ? lineOf(data.title, captureLimits.title) : null;
  if (summary === null || (wantsTitle && title === null)) throw unusable();
  const subtitle = lineOf(data.subtitle, captureLimits.subtitle);
  return { title, subtitle, summary, todos: todosOf(data.todos ?? [], people) };
}

/** The points in an answer about a part. @throws ModelFault when it cannot be read. */
export function pointsIn(answer: string, people: readonly string[]): PartPoints {
  const { data, error } = Points.safeParse(objectIn(answer));
  if (!data) throw unusable(error);
  const points = data.points.slice(0, maxPoints).flatMap((point) => lineOf(point, maxPointLength) ?? []);
  return { points, todos: todosOf(data.todos ?? [], people) };
}
