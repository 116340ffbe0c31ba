import type { EngineAnswer, EngineRequest } from '../../engine/engine.ts';
import { hours } from './agent-fixtures.ts';
import type { Answer, TestWorkspace } from './harness.ts';
import { reply, use } from './scripted-engine.ts';

/* People and agents who all do anything to the same few todos, chats and agents at once. */

export function anyOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

const maybe = (chance: number) => Math.random() < chance;

/** What there is to fight about. */
export class Ground {
  readonly todos: string[] = [];
  readonly chats: string[] = [];
  readonly agents: string[] = [];
  readonly #call: TestWorkspace['call'];

  constructor(call: TestWorkspace['call']) {
    this.#call = call;
  }

  async fill(): Promise<this> {
    for (let place = 0; place < 8; place++) this.todos.push(await this.#made('POST /todos', { title: `T${place}` }));
    for (let place = 0; place < 4; place++)
      this.agents.push(await this.#made('POST /agents', { name: `A${place}`, requiresApproval: maybe(0.5) }));
    this.chats.push(await this.#made('POST /chats', { message: 'Begin' }));
    return this;
  }

  async #made(route: string, body: object): Promise<string> {
    return (await this.#call(route, body)).body.id;
  }

  todo = () => anyOf(this.todos);
  chat = () => anyOf(this.chats);
  agent = () => anyOf(this.agents);

  /** Keeps the latest chats, and a dozen todos. */
  note(kept: 'chats' | 'todos', { status, body }: Answer): void {
    if (status !== 201) return;
    this[kept].push(body.id);
    if (this[kept].length > 12) this[kept].shift();
  }
}

/** An agent that calls any tools on anything, for a while. */
export async function wildAgent(ground: Ground, { conversation }: EngineRequest): Promise<EngineAnswer> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
  if (maybe(0.25) || conversation.length > 20) return reply('Enough.');
  const { todo, chat, agent } = ground;
  const calls: (() => [string, unknown])[] = [
    () => ['create_todo', { title: 'Another' }],
    () => ['update_todo', { todoId: todo(), assignees: [{ id: agent() }] }],
    () => ['complete_todo', { todoId: todo() }],
    () => ['reopen_todo', { todoId: todo() }],
    () => ['archive_todo', { todoId: todo() }],
    () => ['unarchive_todo', { todoId: todo() }],
    () => ['run_todo', { todoId: todo() }],
    () => ['stop_chat', { chatId: chat() }],
    () => ['send_chat_message', { chatId: chat(), message: 'Go on' }],
    () => ['create_chat', { message: 'Help', todoId: todo() }],
    () => ['update_agent', { agentId: agent(), description: String(Math.random()) }],
    () => ['list_todos', {}],
  ];
  return use(...Array.from({ length: anyOf([1, 2, 3]) }, () => anyOf(calls)()));
}

/** What a person may do, once each time it is called. */
export function deeds(ground: Ground, call: TestWorkspace['call']): (() => Promise<Answer | undefined>)[] {
  const { todo, chat, agent, todos } = ground;
  const bulk = (body: object) => call('POST /todos/bulk', { ids: todos.slice(0, 6), ...body });
  const decide = async () => {
    const { body } = await call('GET /approvals?status=pending&limit=100');
    if (!body.data?.length) return undefined;
    return call(`POST /approvals/${anyOf<{ id: string }>(body.data).id}/decide`, {
      decision: anyOf(['approve', 'deny']),
    });
  };
  const make = async (kept: 'chats' | 'todos', body: object) => {
    const answer = await call(`POST /${kept}`, body);
    ground.note(kept, answer);
    return answer;
  };
  const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  return [
    () => bulk({ patch: { status: 'done' } }),
    () => bulk({ patch: { status: 'done' }, dryRun: true }),
    () => bulk({ patch: { status: 'ready', assignees: [{ id: agent() }] } }),
    () => call('POST /todos/bulk', { ids: [todo()], archive: true }),
    () => call(`PATCH /todos/${todo()}`, { status: anyOf(['done', 'ready', 'in_progress']) }),
    () => call(`PATCH /todos/${todo()}`, { status: 'ready', assignees: [{ id: agent() }] }),
    () => call(`DELETE /todos/${todo()}${maybe(0.1) ? '?permanent=true' : ''}`),
    () => call(`POST /todos/${todo()}/restore`),
    () => call(`POST /todos/${todo()}/runs`, {}),
    () => make('todos', { title: 'New', assignees: [{ id: agent() }], run: true }),
    () => make('chats', { message: 'Hello', agentId: agent(), ...(maybe(0.6) && { todoId: todo() }) }),
    () => call(`POST /chats/${chat()}/messages`, { message: 'More' }),
    () => call(`POST /chats/${chat()}/cancel`),
    () => call(`DELETE /chats/${chat()}${maybe(0.3) ? '?permanent=true' : ''}`),
    () => call(`POST /chats/${chat()}/restore`),
    () => call(`PATCH /chats/${chat()}`, { title: String(Math.random()) }),
    () => call(`GET /chats/${chat()}/messages?waitSeconds=1`),
    decide,
    () => {
      const workingHours = hours('09:00', '10:00', 'UTC', [anyOf(week)]);
      return call(`PATCH /agents/${agent()}`, { workingHoursEnabled: maybe(0.5), workingHours });
    },
    () => call(`PATCH /agents/${agent()}`, { requiresApproval: maybe(0.5), name: `N${anyOf([1, 2, 3, 4, 5, 6])}` }),
  ];
}
