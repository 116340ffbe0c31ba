import type { EngineRequest, Utterance } from '../../engine/engine.ts';
import type { TurnFacts } from '../../engine/facts.ts';
import { offlineEngine } from '../../engine/offline/index.ts';

/** The tools of the tests, as an agent has them. */
export const toolNames = [
  'list_todos',
  'get_todo',
  'create_todo',
  'update_todo',
  'complete_todo',
  'reopen_todo',
  'archive_todo',
  'unarchive_todo',
  'list_agents',
  'list_todo_lists',
  'upsert_todo_list',
  'list_captures',
  'get_capture',
];

/** It is Friday, 20 November 2026, 11:00 in Berlin. */
export const facts: TurnFacts = {
  nonce: '0123456789abcdef',
  now: new Date('2026-11-20T10:00:00Z'),
  timezone: 'Europe/Berlin',
  trigger: 'chat',
  depth: 0,
  agent: {
    id: 'agent-1',
    name: 'Assistant',
    description: null,
    instructions: null,
    requiresApproval: false,
    approvalGuidance: null,
    skills: [],
  },
  workspace: {
    id: 'workspace-1',
    name: 'Acme',
    people: [
      { id: 'user-1', name: 'Ada Lovelace' },
      { id: 'user-2', name: 'Grace Hopper' },
    ],
    agents: [
      { id: 'agent-1', name: 'Assistant' },
      { id: 'agent-2', name: 'Research Bot' },
    ],
    lists: [
      { id: 'list-0', name: 'Inbox' },
      { id: 'list-1', name: 'Groceries' },
      { id: 'list-2', name: 'Home projects' },
    ],
  },
  person: { id: 'user-1', name: 'Ada Lovelace' },
  todo: null,
  captures: [],
};

interface More {
  facts?: Partial<TurnFacts>;
  tools?: readonly string[];
}

export function requestOf(
  conversation: Utterance[],
  { facts: changed = {}, tools = toolNames }: More = {},
): EngineRequest {
  const declared = tools.map((name) => ({ name, description: name, inputSchema: { type: 'object' } }));
  const signal = new AbortController().signal;
  return { purpose: 'turn', system: '', conversation, tools: declared, facts: { ...facts, ...changed }, signal };
}

/** What the engine does first with one message: its calls as `[name, input]`, or its text. */
export async function firstStep(text: string, more: More = {}): Promise<[string, unknown][] | string> {
  const answer = await offlineEngine.answer(requestOf([{ role: 'user', text }], more));
  return answer.toolCalls.length > 0 ? answer.toolCalls.map(({ name, input }) => [name, input]) : answer.text;
}

/** What a tool returns; an Error becomes an error result with its message as code. */
export type Tools = Record<string, (input: Record<string, unknown>, call: number) => unknown>;

export interface Fault {
  fault: { code: string; message: string; param?: string; allowedValues?: string[] };
}

export function fault(code: string, message: string, more: Partial<Fault['fault']> = {}): Fault {
  return { fault: { code, message, ...more } };
}

/** A chat with the engine, whose tools answer as `tools` says. */
export class Dialogue {
  readonly conversation: Utterance[] = [];
  /** All calls so far, as `name` and input. */
  readonly calls: [string, Record<string, unknown>][] = [];
  readonly #tools: Tools;
  readonly #more: More;

  constructor(tools: Tools, more: More = {}) {
    this.#tools = tools;
    this.#more = { tools: Object.keys(tools), ...more };
  }

  /** Sends a message and returns the answer, after all calls. */
  async send(text: string, from?: { kind: 'agent'; name: string }): Promise<string> {
    this.conversation.push({ role: 'user', text, ...(from && { from }) });
    for (let steps = 0; steps < 10; steps++) {
      const answer = await offlineEngine.answer(requestOf(this.conversation, this.#more));
      this.conversation.push({ role: 'agent', ...answer });
      if (answer.toolCalls.length === 0) return answer.text;
      const results = answer.toolCalls.map(({ id, name, input }) => {
        const output = this.#tools[name]?.(input as Record<string, unknown>, this.calls.length);
        this.calls.push([name, input as Record<string, unknown>]);
        const isError = typeof output === 'object' && output !== null && 'fault' in output;
        return { toolCallId: id, name, isError, output: isError ? (output as Fault).fault : output };
      });
      this.conversation.push({ role: 'tools', results });
    }
    throw new Error('The engine does not come to an end');
  }
}

/** A todo as a row of list_todos. */
export function row(id: string, title: string, more: object = {}) {
  return { object: 'todo', id, title, status: 'ready', type: 'task', todoListId: 'list-0', assignees: [], ...more };
}

/** A page of list_todos; `total` when there are more than these. */
export function page(rows: readonly object[], total = rows.length, counts: object = {}) {
  const byStatus = { ready: total, in_progress: 0, done: 0 };
  const byPriority = { urgent: 0, high: 0, medium: 0, low: 0, none: total };
  const summary = { object: 'todo_summary', total, active: total, byStatus, byPriority, minutesSaved: 0, ...counts };
  return { data: rows, hasMore: total > rows.length, summary, workspaceSummary: summary };
}

/** A list_todos over these rows, which reads `query` and `status` as the service does. */
export function finder(rows: readonly ReturnType<typeof row>[]): Tools[string] {
  return ({ query, status, limit }) => {
    const words = String(query ?? '')
      .toLowerCase()
      .split(/\s+/);
    const found = rows.filter((each) => {
      const text = `${each.title} ${'content' in each ? each.content : ''}`.toLowerCase();
      const state = status === undefined || each.status === status || (status === 'active' && each.status !== 'done');
      return state && words.every((word) => text.includes(word));
    });
    return page(found.slice(0, Number(limit ?? 10)), found.length);
  };
}

/** A create_todo that answers as the service does. */
export const created: Tools = {
  create_todo: (input, call) => ({
    todo: row(`new-${call}`, String(input.title), { ...input, assignees: [{ id: 'user-1', name: 'Ada Lovelace' }] }),
  }),
};

/** Tools that find and change these todos. */
export const changed = (rows: readonly ReturnType<typeof row>[]): Tools => {
  const one = (input: Record<string, unknown>) =>
    rows.find(({ id }) => id === input.todoId) ?? row(String(input.todoId), 'Found');
  return {
    list_todos: finder(rows),
    complete_todo: (input) => ({ todo: { ...one(input), status: 'done' } }),
    reopen_todo: (input) => ({ todo: one(input) }),
    archive_todo: (input) => ({ todo: { ...one(input), isArchived: true }, alreadyArchived: false }),
    unarchive_todo: (input) => ({ todo: one(input) }),
    update_todo: ({ todoId, ...changes }) => ({ todo: { ...one({ todoId }), ...changes, assignees: [] } }),
    get_todo: (input) => ({ todo: one(input) }),
  };
};
