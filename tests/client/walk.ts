import createClient from 'openapi-fetch';
import type { components, paths } from '../generated/openapi.ts';

/*
 * Through the API as a customer's program goes: pages, errors that are branched on, a write that is repeated, captures,
 * a chat. Typed by the published document alone; tests/document-client.test.ts says what must come out.
 */

const [, , baseUrl = '', key = ''] = process.argv;
const api = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${key}` },
  // Lists in a query are separated by commas, which openapi-fetch does not read in the document.
  querySerializer: { array: { style: 'form', explode: false } },
});

type Problem = components['schemas']['Error'];
type Todo = components['schemas']['Todo'];

/** What an error says, as far as it is the same in every run. */
function toldBy(error: Problem | undefined, response: Response) {
  const isQuotable = error?.requestId === response.headers.get('x-request-id');
  return error && { code: error.code, param: error.param, retryable: error.retryable, isQuotable };
}

function dataOf<Data>({ data, error }: { data?: Data; error?: Problem }): Data {
  if (data === undefined) throw new Error(error && `${error.code}: ${error.message}`);
  return data;
}

async function pages() {
  const data = Array.from({ length: 11 }, (_, n) => ({ title: `Todo ${n}`, dueDate: `2027-01-${11 + n}` }));
  const made = dataOf(await api.POST('/todos/batch', { body: { data } }));
  const walked: Todo[] = [];
  let cursor: string | null = null;
  do {
    const query = { sort: 'dueDate', order: 'asc', limit: 4, ...(cursor !== null && { cursor }) } as const;
    const page: components['schemas']['TodoPage'] = dataOf(await api.GET('/todos', { params: { query } }));
    walked.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { made: made.data.length, walked: walked.map(({ title }) => title) };
}

async function errors() {
  const path = { todoId: crypto.randomUUID() };
  const missing = await api.PATCH('/todos/{todoId}', { params: { path }, body: { status: 'done' } });
  const invalid = await api.GET('/todos', { params: { query: { limit: 500 } } });
  const nobody = await createClient<paths>({ baseUrl }).GET('/todos');
  return [missing, invalid, nobody].map(({ error, response }) => toldBy(error, response));
}

async function repeated() {
  const params = { header: { 'Idempotency-Key': crypto.randomUUID() } };
  const first = await api.POST('/todos', { params, body: { title: 'Once' } });
  const again = await api.POST('/todos', { params, body: { title: 'Once' } });
  const other = await api.POST('/todos', { params, body: { title: 'Twice' } });
  return {
    isSame: dataOf(first).id === dataOf(again).id,
    replayed: [first, again].map(({ response }) => response.headers.get('idempotency-replayed')),
    reused: toldBy(other.error, other.response)?.code,
  };
}

async function conditional() {
  const made = await api.POST('/todos', { body: { title: 'Draft' } });
  const path = { todoId: dataOf(made).id };
  const header = { 'If-Match': made.response.headers.get('etag') ?? '' };
  const first = await api.PATCH('/todos/{todoId}', { params: { path, header }, body: { title: 'Mine' } });
  const second = await api.PATCH('/todos/{todoId}', { params: { path, header }, body: { title: 'Yours' } });
  return [dataOf(first).title, second.response.status, second.error?.reason];
}

async function captures() {
  const tags = ['caterer', 'party'];
  const content = '# Talk\nThe offer comes on Friday.';
  const note = dataOf(await api.POST('/captures', { body: { type: 'note', content, tags } }));
  const imported = dataOf(
    await api.POST('/captures', {
      body: { type: 'recording', title: 'Call', transcript: { format: 'text', body: 'Ann: Hello.\nBo: Hello.' } },
    }),
  );
  const path = { captureId: note.id };
  const whole = dataOf(await api.GET('/captures/{captureId}', { params: { path } }));
  const tagged = dataOf(await api.GET('/captures', { params: { query: { tags, include: 'totalCount' } } }));
  const changed = dataOf(await api.PATCH('/captures/{captureId}', { params: { path }, body: { tags: ['party'] } }));
  const known = dataOf(await api.GET('/captures/tags'));
  const stopped = await api.POST('/captures/{captureId}/stop', { params: { path } });
  return {
    types: [note.type, imported.type],
    title: whole.title,
    content: whole.content,
    isChanged: changed.id === note.id,
    tagged: [tagged.totalCount, tagged.data.map(({ id }) => id === note.id)],
    tags: known.data.map(({ name, captureCount }) => [name, captureCount]),
    stopped: stopped.error?.code,
  };
}

async function chat() {
  const started = dataOf(await api.POST('/chats', { body: { message: 'What can you do?', waitSeconds: 20 } }));
  const path = { chatId: started.id };
  const messages = dataOf(await api.GET('/chats/{chatId}/messages', { params: { path, query: { afterSequence: 0 } } }));
  const kinds = messages.data.flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? 'text' : 'more')));
  return [started.status, messages.data.map(({ sequence, role }) => [sequence, role]), kinds];
}

/** Never called: what the types must refuse. */
export function wrong(): unknown[] {
  return [
    // @ts-expect-error: a note has a content
    api.POST('/captures', { body: { type: 'note' } }),
    // @ts-expect-error: a tag is a text
    api.PATCH('/captures/{captureId}', { params: { path: { captureId: '' } }, body: { tags: [5] } }),
    // @ts-expect-error: no such order
    api.GET('/todos', { params: { query: { sort: 'title' } } }),
  ];
}

const came = {
  pages: await pages(),
  errors: await errors(),
  repeated: await repeated(),
  conditional: await conditional(),
  captures: await captures(),
  chat: await chat(),
};
process.stdout.write(JSON.stringify(came));
