import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi.ts';

/*
 * A program as a customer writes it: typed by the published document, and by nothing else of this repository.
 * tests/document-client.test.ts makes the types, compiles it and runs it with the address and a key.
 */

const [, , baseUrl = '', key = ''] = process.argv;
const anybody = createClient<paths>({ baseUrl });
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

function orThrow<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

const service = orThrow(await anybody.GET('/'));
const name: 'Tandem' = service.name;

const me = orThrow(await api.GET('/me'));
const role: 'owner' | 'member' = me.user.role;

const list = orThrow(
  await api.POST('/todo-lists', {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { name: 'Groceries', emoji: '🛒' },
  }),
);
const lists = orThrow(await api.GET('/todo-lists', { params: { query: { includeArchived: true } } }));

const todo = orThrow(await api.POST('/todos', { body: { title: 'Milk', todoListId: list.id, priority: 'high' } }));
const done = orThrow(
  await api.PATCH('/todos/{todoId}', { params: { path: { todoId: todo.id } }, body: { status: 'done' } }),
);
const page = orThrow(
  await api.GET('/todos', { params: { query: { todoListId: list.id, status: 'done', include: 'totalCount' } } }),
);

const missing = await api.GET('/todos/{todoId}', { params: { path: { todoId: me.user.id } } });
const code = missing.error?.code;

/** Never called: what the types must refuse. */
export function wrong(): unknown[] {
  return [
    // @ts-expect-error: no such status
    api.PATCH('/todos/{todoId}', { params: { path: { todoId: todo.id } }, body: { status: 'finished' } }),
    // @ts-expect-error: a name is a text
    api.POST('/todo-lists', { body: { name: 5 } }),
    // @ts-expect-error: a list needs its name
    api.POST('/todo-lists', { body: {} }),
  ];
}

process.stdout.write(
  JSON.stringify({
    name,
    role,
    listNames: lists.data.map((each) => each.name),
    status: done.status,
    titles: page.data.map((each) => each.title),
    totalCount: page.totalCount,
    missing: { status: missing.response.status, code },
  }),
);
