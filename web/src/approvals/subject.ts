/* What the call of a tool is about, from its name and input alone. */

/** The kinds of resources that tools change. */
export type SubjectKind = 'todo' | 'chat' | 'capture' | 'agent' | 'skill' | 'todoList';

/** The resource that a call changes, as it is before. */
export interface Subject {
  name: string;
  /** Its page; null where it has none. */
  path: string | null;
  /** Present values under the names that the input of the tool has. */
  fields: Readonly<Record<string, unknown>>;
}

/** How a tool is worded, and what its call changes beside the fields of its input. */
interface ToolWords {
  kind?: SubjectKind;
  /** After “wants to”. `name`: of what it is about, in quotes; empty where it is not known. */
  wants: (name: string) => string;
  sets?: Readonly<Record<string, unknown>>;
}

const known: Readonly<Record<string, ToolWords>> = {
  create_todo: { wants: (name) => `create the todo ${name}` },
  update_todo: { kind: 'todo', wants: (name) => `change the todo ${name}` },
  complete_todo: { kind: 'todo', wants: (name) => `mark ${name || 'a todo'} as done`, sets: { status: 'done' } },
  reopen_todo: { kind: 'todo', wants: (name) => `open ${name || 'a todo'} again`, sets: { status: 'ready' } },
  archive_todo: { kind: 'todo', wants: (name) => `archive the todo ${name}`, sets: { archived: true } },
  unarchive_todo: { kind: 'todo', wants: (name) => `bring the todo ${name} back`, sets: { archived: false } },
  run_todo: { kind: 'todo', wants: (name) => `start an agent on ${name || 'a todo'}` },
  create_chat: { wants: (name) => `start the chat ${name}` },
  send_chat_message: { kind: 'chat', wants: (name) => `send a message in the chat ${name}` },
  stop_chat: { kind: 'chat', wants: (name) => `stop the chat ${name}` },
  create_agent: { wants: (name) => `create the agent ${name}` },
  update_agent: { kind: 'agent', wants: (name) => `change the agent ${name}` },
  create_skill: { wants: (name) => `create the skill ${name}` },
  update_skill: { kind: 'skill', wants: (name) => `change the skill ${name}` },
  update_capture: { kind: 'capture', wants: (name) => `change the capture ${name}` },
  upsert_todo_list: { kind: 'todoList', wants: (name) => `change the list ${name}` },
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value is the id of a resource. */
export function isId(value: unknown): boolean {
  return typeof value === 'string' && uuid.test(value);
}

/** The arguments of a call by name; none for an input of another shape. */
export function argumentsOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : {};
}

/** The argument that names what a call is about, such as `todoId`; undefined for a tool without one. */
export function subjectField(toolName: string): string | undefined {
  const kind = known[toolName]?.kind;
  return kind && `${kind}Id`;
}

/** What a call is about: its kind and id, and the arguments; null for one about nothing that exists. */
export function subjectOf({ toolName, input }: { toolName: string; input?: unknown }) {
  const kind = known[toolName]?.kind;
  const given = argumentsOf(input);
  const id = given[`${kind}Id`];
  return kind && typeof id === 'string' && isId(id) ? { kind, id, input: given } : null;
}

/** What a call sets beside the fields of its input, such as the status. */
export function setsOf(toolName: string): Readonly<Record<string, unknown>> {
  return known[toolName]?.sets ?? {};
}

const maxNameLength = 80;

/** A name in quotes on one line, cut where it is long. */
function quoted(name: string): string {
  const line = name.replace(/\s+/g, ' ').trim();
  return `“${line.length > maxNameLength ? `${line.slice(0, maxNameLength - 1)}…` : line}”`;
}

/** What an agent wants, as a sentence: `Researcher wants to mark “Order desks” as done`. */
export function sentenceOf(
  agent: string,
  { toolName, title, input }: { toolName: string; title: string; input?: unknown },
  subject: Subject | null,
): string {
  const tool = known[toolName];
  if (!tool) return `${agent} asks for: ${title}`;
  const given = argumentsOf(input);
  if (toolName === 'upsert_todo_list' && given.todoListId === undefined)
    return `${agent} wants to create the list ${quoted(String(given.name ?? ''))}`;
  const own = tool.kind && given[`${tool.kind}Id`];
  // A tool takes some resources by their names too.
  const named = tool.kind ? (subject?.name ?? (isId(own) ? undefined : own)) : (given.title ?? given.name);
  const name = named ?? (tool.kind ? undefined : (given.content ?? given.message));
  return `${agent} wants to ${tool.wants(typeof name === 'string' ? quoted(name) : '').trimEnd()}`;
}
