import { Bindings } from '../../db/bindings.ts';
import { newId } from '../../db/ids.ts';
import { SharedTexts } from '../../db/prepared-texts.ts';
import type { Context } from '../context.ts';
import { recordingPart } from '../events/record.ts';
import { folded } from '../text.ts';
import { priorityRank, type TodoRow, todoOf } from './rows.ts';
import type { NewTodo, TodoAnswer } from './shapes.ts';

/** What a plain todo is created with: it refers to nothing, so it is the caller's, in the default list. */
const fields = ['title', 'content', 'priority', 'type', 'dueDate'] as const;
type PlainTodo = Pick<NewTodo, (typeof fields)[number]>;

/** Whether the body of a request names nothing but these fields, whatever their values. */
export function isPlainBody(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  return Object.keys(body).every((name) => (fields as readonly string[]).includes(name));
}

/** Whether a valid todo is plain. */
export function isPlain({ title, content, priority, type, dueDate, run, ...others }: NewTodo): boolean {
  return !run && Object.values(others).every((value) => value === undefined);
}

/** What only the database knows of a new plain todo. */
interface Made {
  list: string;
  createdAt: string;
  assignee: [name: string, isArchived: boolean];
}

interface MadeRow extends Pick<Made, 'list' | 'createdAt'> {
  name: string;
  isRemoved: boolean;
}

/** The answer to a plain todo that was just created: all else is known before. */
function answerOf({ principal }: Context, id: string, todo: PlainTodo, { list, createdAt, assignee }: Made) {
  const row: TodoRow = {
    id,
    title: todo.title ?? null,
    content: todo.content ?? null,
    status: 'ready',
    priority: todo.priority ? priorityRank(todo.priority) : null,
    type: todo.type,
    todoListId: list,
    dueDate: todo.dueDate ?? null,
    captureId: null,
    parentTodoId: null,
    isSuggested: false,
    source: sourceOf(principal),
    minutesSaved: null,
    minutesSavedReason: null,
    minutesSavedConfidence: null,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    isArchived: false,
    subTodos: null,
    position: id.replaceAll('-', ''),
    assignees: [['user', principal.userId, assignee]],
    labels: null,
    latestRun: null,
    schedule: null,
  };
  return todoOf(row);
}

function sourceOf({ kind }: Context['principal']): TodoAnswer['source'] {
  return kind === 'agent' ? 'agent_created' : 'user_created';
}

/** Marks in the answer, for values of the database and for what people wrote. */
const mark = { list: '\x01', instant: '\x02', name: '\x03', isRemoved: '\x04', title: '\x05', content: '\x06' };
const escaped = /"\\u000([1-6])"/;

/** In SQL over `facts`, as `Claim.part` takes them. */
const markedValues = {
  [mark.list]: 'to_json(f.list)::text',
  [mark.instant]: `to_json(to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text`,
  [mark.name]: 'to_json(f.name)::text',
  [mark.isRemoved]: 'to_json(f.is_removed)::text',
};

/**
 * The answer as JSON, with marks for `Claim.part`. What people wrote is put in last, so that it is not searched for
 * marks.
 */
function markedAnswer(ctx: Context, id: string, todo: PlainTodo): string {
  const marked = { ...todo, title: mark.title, content: mark.content };
  const assignee = [mark.name, mark.isRemoved] as unknown as Made['assignee'];
  const answer = answerOf(ctx, id, marked, { list: mark.list, createdAt: mark.instant, assignee });
  const texts = new Map([
    [mark.title, JSON.stringify(todo.title ?? null)],
    [mark.content, JSON.stringify(todo.content ?? null)],
  ]);
  const parts = JSON.stringify(answer).split(escaped);
  const markOf = (digit: string) => String.fromCharCode(Number(digit));
  return parts.map((part, place) => (place % 2 === 0 ? part : (texts.get(markOf(part)) ?? markOf(part)))).join('');
}

const sharedTexts = new SharedTexts();

/**
 * Creates a plain todo in one statement, with the claim of the `Idempotency-Key` where there is one (decision 0071).
 * @throws Unclaimed when that key was claimed before.
 */
export async function createPlain(ctx: Context, todo: PlainTodo): Promise<TodoAnswer> {
  const { db, principal, claim } = ctx;
  const id = newId();
  const { eventId } = db.origin;
  const bindings = new Bindings(principal.workspaceId);
  const bind = (value: unknown) => bindings.bind(value);
  const user = bind(principal.userId);
  const columns = [id, todo.title, todo.content, todo.priority && priorityRank(todo.priority), todo.type];
  const values = [...columns, todo.dueDate, sourceOf(principal)].map((value) => bind(value ?? null));
  const words = [todo.title, todo.content].map((text) => bind(folded(text ?? '')));
  const recorded = recordingPart(bindings, db.origin, {
    events: [{ type: 'todo.created', objectId: id }],
    changed: 'made',
    workspace: '$1',
    parents: `jsonb_build_object('todoListId', c.todo_list_id)`,
    version: '1',
  });
  const claimed = claim ? `, ${claim.part(bindings, 'facts f', markedAnswer(ctx, id, todo), markedValues)}` : '';
  const built = `with facts as materialized (
      select now()::timestamptz(3) as created_at, l.list, p.name, p.is_removed from (
        select (select id from todo_lists where workspace_id = $1 and is_default) as list
      ) l left join (
        select u.name, m.removed_at is not null as is_removed from members m join users u on u.id = m.user_id
        where m.workspace_id = $1 and m.user_id = ${user}
      ) p on true
    )${claimed}, made as (
      insert into todos (workspace_id, id, title, content, priority, type, due_date, source, todo_list_id, created_at, updated_at)
      select $1, ${values.join(', ')}, f.list, f.created_at, f.created_at from facts f${claim ? ', claimed' : ''}
      returning id, todo_list_id, created_at
    ), indexed as (
      insert into todo_search (workspace_id, todo_id, title, content) select $1, m.id, ${words.join(', ')} from made m
    ), assigned as (
      insert into todo_assignees (workspace_id, todo_id, position, user_id, created_at)
      select $1, m.id, 1, ${user}, m.created_at from made m
    ), ${recorded}
    select f.list, f.created_at as "createdAt", f.name, f.is_removed as "isRemoved" from facts f, made`;
  const text = sharedTexts.share(claim ? 'claimed' : 'plain', built);
  try {
    const [made] = claim
      ? [await claim.execute<MadeRow>(text, bindings)]
      : await db.rows<MadeRow>(text, bindings.values);
    if (!made) throw new Error('A todo was not created');
    const { list, createdAt, name, isRemoved } = made;
    return answerOf(ctx, id, todo, { list, createdAt, assignee: [name, isRemoved] });
  } catch (error) {
    db.origin.eventId = eventId;
    throw error;
  }
}
