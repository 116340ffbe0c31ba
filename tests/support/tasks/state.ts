import type { TestWorkspace } from '../harness.ts';

type Fields = Record<string, unknown>;

/** What people see of a workspace: `todo Buy milk` → its fields, with names in place of ids. */
export type State = Record<string, Fields>;

// biome-ignore lint/suspicious/noExplicitAny: rows as they come over the wire
type Row = any;

/** Reads the state of a workspace over REST. */
export async function stateOf({ call }: Pick<TestWorkspace, 'call'>): Promise<State> {
  const rows = async (path: string): Promise<Row[]> => (await call(`GET ${path}`)).body.data;
  const lists = await rows('/todo-lists?includeArchived=true');
  const agents = await rows('/agents?includeArchived=true');
  const skills = await rows('/skills?includeArchived=true');
  const todos = [...(await rows('/todos?limit=100')), ...(await rows('/todos?limit=100&includeArchived=true'))];
  const captures = await rows('/captures?includeArchived=true&limit=100');
  const chats = await rows('/chats?includeArchived=true&limit=100');
  const nameIn = (list: Row[], id: string | null) => list.find((each) => each.id === id)?.name ?? null;
  const state: State = {};
  for (const { name, emoji, color, isArchived } of lists) state[`list ${name}`] = { name, emoji, color, isArchived };
  for (const agent of agents) {
    const { name, description, instructions, requiresApproval, workingHoursEnabled, workingHours, isArchived } = agent;
    const hours = workingHoursEnabled ? workingHours : null;
    state[`agent ${name}`] = { name, description, instructions, requiresApproval, hours, isArchived };
  }
  for (const { name, instructions, isArchived, agentId } of skills) {
    state[`skill ${name}`] = { name, instructions, isArchived, agent: nameIn(agents, agentId) };
  }
  for (const todo of todos) {
    const { title, content, status, priority, type, dueDate, isArchived, rrule, timezone, nextRunAt } = todo;
    const { scheduleType, scheduleStatus, latestRun } = todo;
    const schedule = { rrule, timezone, nextRunAt, scheduleType, scheduleStatus };
    state[`todo ${title}`] = {
      ...{ title, content, status, priority, type, dueDate, isArchived, ...schedule },
      list: nameIn(lists, todo.todoListId),
      assignees: todo.assignees.map((each: Row) => each.name).sort(),
      run: latestRun && nameIn(agents, latestRun.agentId),
    };
  }
  for (const { id, title, tags, isArchived } of captures) {
    const { content, notes } = (await call(`GET /captures/${id}`)).body;
    state[`capture ${title}`] = { title, tags, isArchived, content, notes };
  }
  const runs = new Set(todos.map((todo) => todo.latestRun?.chatId));
  for (const { id, title, status, agentId } of chats.filter((chat) => !runs.has(chat.id))) {
    const messages = await rows(`/chats/${id}/messages?limit=100`);
    const sent = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
    state[`chat ${title ?? sent[0]}`] = { status, agent: nameIn(agents, agentId), sent };
  }
  return state;
}

/** What a field should be: a value, a pattern of a text, or a rule. */
export type Wanted = unknown | RegExp | ((value: unknown) => boolean);

/** What a task changes: `todo Buy milk` → the fields that differ, and new things by their kind. */
export interface Outcome {
  changed?: Record<string, Record<string, Wanted>>;
  created?: Record<string, Record<string, Wanted>[]>;
  /** Fields that may differ besides, where people would accept both. */
  may?: string[];
}

function holds(value: unknown, wanted: Wanted): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value);
  if (typeof wanted === 'function') return wanted(value) === true;
  return JSON.stringify(value) === JSON.stringify(wanted);
}

function faultIn(what: string, fields: Fields, wanted: Record<string, Wanted>): string[] {
  return Object.entries(wanted)
    .filter(([field, each]) => !holds(fields[field], each))
    .map(([field, each]) => `${what}: ${field} is ${JSON.stringify(fields[field])}, not ${each}`);
}

/** What is wrong in `after`, a task with this outcome having begun in `before`; empty when nothing is. */
export function faultsOf(before: State, after: State, { changed = {}, created = {}, may = [] }: Outcome): string[] {
  const faults: string[] = [];
  for (const [key, fields] of Object.entries(before)) {
    const now = after[key] ?? {};
    const wanted = changed[key] ?? {};
    faults.push(...faultIn(key, now, wanted));
    const others = Object.keys(fields).filter((field) => !(field in wanted) && !may.includes(field));
    faults.push(...faultIn(key, now, Object.fromEntries(others.map((field) => [field, fields[field]]))));
  }
  const fresh = Object.entries(after).filter(([key]) => !(key in before));
  for (const [kind, wanted] of Object.entries(created)) {
    for (const each of wanted) {
      const at = fresh.findIndex(
        ([key, fields]) => key.startsWith(`${kind} `) && faultIn('', fields, each).length === 0,
      );
      if (at < 0) faults.push(`no new ${kind} with ${Object.entries(each).join('; ')} in ${JSON.stringify(fresh)}`);
      else fresh.splice(at, 1);
    }
  }
  return [...faults, ...fresh.map(([key]) => `unexpected: ${key}`)];
}
