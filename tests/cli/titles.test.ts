import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPrompt, type Prompt, runsAt } from '../support/cli-world.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('todos by title and by the start of their id');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', LOG_LEVEL: 'error' });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
  prompt = openPrompt(tandem.url, workspace.key);
});
test.after.each(() => prompt.close());
test.after(() => tandem.close());

const { done, fails } = runsAt(() => prompt);

async function make(title: string): Promise<string> {
  const { body } = await workspace.call('POST /todos', { title });
  return body.id;
}

const todo = async (id: string) => (await workspace.call(`GET /todos/${id}`)).body;
const statuses = (...ids: string[]) => Promise.all(ids.map(async (id) => (await todo(id)).status));

/** The shortest start of an id that no other one has. */
function prefixOf(id: string, others: readonly string[]): string {
  let length = 8;
  while (others.some((other) => other !== id && other.startsWith(id.slice(0, length)))) length++;
  return id.slice(0, length);
}

test('todos are completed, reopened and archived by id, the start of it, or title, several at once', async () => {
  const ids = [await make('Call the bank'), await make('Buy bread'), await make('Write, (really) “soon”: 100%!')];
  const [bank = '', bread = '', write = ''] = ids;
  const completed = await done('todos', 'done', 'call the BANK', prefixOf(bread, ids).toUpperCase(), write, '--json');
  assert.equal(
    completed.json.data.map(({ id, status }: { id: string; status: string }) => [id, status]),
    ids.map((id) => [id, 'done']),
  );
  assert.equal(await statuses(...ids), ['done', 'done', 'done']);
  const reopened = await done('todos', 'reopen', 'Write, (really) “soon”: 100%!', '--fields', 'title,status');
  assert.is(reopened.out, 'Write, (really) “soon”: 100%!\tready\n');
  const archived = await done('todos', 'archive', 'Buy bread', bread, '--jsonl', '--fields', 'id,isArchived');
  assert.equal(archived.json, { id: bread, isArchived: true }, 'named twice, it is sent once');
  assert.equal(await statuses(...ids), ['done', 'done', 'ready']);
  assert.is((await todo(bank)).isArchived, false);
});

test('what stands for several todos lists them, and nothing is changed', async () => {
  const [first, second, other] = [await make('Stand-up'), await make('stand-UP'), await make('Other')];
  const { err } = await fails(2, 'todos', 'done', 'Other', 'STAND-UP');
  assert.match(err, 'Error: TODO: “STAND-UP” matches several. Give the id of one of them:');
  assert.match(err, `  ${first}  Stand-up  (ready)\n`);
  assert.match(err, `  ${second}  stand-UP  (ready)\n`);
  const common = first.slice(
    0,
    [...first].findIndex((character, index) => character !== second[index]),
  );
  assert.match((await fails(2, 'todos', 'archive', common)).err, /matches several|too many ids/);
  assert.match((await fails(4, 'todos', 'done', 'Other', 'Stand')).err, 'nothing has the title “Stand”');
  assert.match((await fails(4, 'todos', 'done', 'Other', 'ffff')).err, 'nothing has the title “ffff”');
  assert.match((await fails(4, 'todos', 'done', 'Other', unknownId)).err, '\n  About: TODO 2\n');
  assert.equal(await statuses(first, second, other), ['ready', 'ready', 'ready']);
  await done('todos', 'done', 'Stand-up');
  assert.equal(await statuses(first, second), ['done', 'ready'], 'the exact title is preferred');
});

test('among equal titles the change applies to the one that it can change, and never to an archived one', async () => {
  const [past, next] = [await make('Water the plants'), await make('Water the plants')];
  await done('todos', 'done', past);
  await done('todos', 'done', 'Water the plants');
  assert.equal(await statuses(past, next), ['done', 'done']);
  assert.match((await fails(2, 'todos', 'reopen', 'Water the plants')).err, past);
  await done('todos', 'archive', past);
  await done('todos', 'reopen', 'Water the plants');
  assert.equal(await statuses(past, next), ['done', 'ready']);
});

test('a long list of candidates is cut, and a long title is found', async () => {
  const todos = Array.from({ length: 12 }, () => ({ title: 'The same' }));
  await workspace.call('POST /todos/batch', { data: todos });
  const { err } = await fails(2, 'todos', 'done', 'the same');
  assert.equal([err.match(/ {2}The same {2}\(ready\)$/gm)?.length, /^ {2}…$/m.test(err)], [10, true]);
  const long = Array.from({ length: 40 }, (_, index) => `word-${index}`).join(' ');
  const id = await make(long);
  assert.is((await done('todos', 'get', long, '--json')).json.id, id);
});

test('a todo that was made offline is found by the start of its id, among others that were made before and since', async () => {
  await make('Before');
  const madeAt = Date.now() - 30 * 24 * 3600_000;
  const time = madeAt.toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${'a'.repeat(3)}-8${'b'.repeat(3)}-${'c'.repeat(12)}`;
  for (let batch = 0; batch < 3; batch++) {
    const data = Array.from({ length: 50 }, (_, index) => ({ title: `Since ${batch} ${index}` }));
    await workspace.call('POST /todos/batch', { data });
  }
  const { status } = await workspace.call('POST /todos', { id, title: 'Made offline' });
  assert.is(status, 201);
  const before = `update todos set created_at = now() - interval '30 days' where workspace_id = $1 and title = 'Before'`;
  await tandem.db.rows(before, [workspace.workspaceId]);
  assert.is((await done('todos', 'get', id.slice(0, 13), '--json')).json.title, 'Made offline');
});

test('a title is not taken for the only one while more todos may have it than are read', async () => {
  const id = await make('Report');
  for (let batch = 0; batch < 21; batch++) {
    const data = Array.from({ length: 50 }, (_, index) => ({ title: `Report ${batch} ${index}` }));
    await workspace.call('POST /todos/batch', { data });
  }
  const { err } = await fails(2, 'todos', 'done', 'report');
  assert.match(err, 'too many resources contain the words of “report”');
  assert.is((await todo(id)).status, 'ready');
  assert.is((await done('todos', 'done', 'report 20 49', '--json')).json.data[0].title, 'Report 20 49');
});

test('a todo of another workspace is found by neither', async () => {
  const elsewhere = await tandem.workspace();
  const { body } = await elsewhere.call('POST /todos', { title: 'Not yours' });
  assert.is((await fails(4, 'todos', 'done', 'Not yours')).code, 4);
  assert.is((await fails(4, 'todos', 'done', body.id.slice(0, 35))).code, 4);
});

test('titles and names stand for ids that have another name than their resource', async () => {
  const [plan, book] = [await make('Plan the party'), await make('Book the hall')];
  const { json: label } = await done('labels', 'create', 'Waiting', '--json');
  const moved = await done('todos', 'move', 'Book the hall', '--before', 'plan the party', '--json');
  assert.ok(moved.json.position < plan.replaceAll('-', ''));
  await done('todos', 'move', 'Book the hall', '--after', plan.slice(0, 35));
  const changes = ['--parent-todo', 'Plan the party', '--add-label', 'waiting'];
  const { json } = await done('todos', 'update', 'Book the hall', ...changes, '--json');
  assert.equal([json.id, json.parentTodoId, json.labels[0].id], [book, plan, label.id]);
  const parts = await done('todos', 'list', '--parent-todo', 'Plan the party', '--fields', 'title');
  assert.is(parts.out, 'Book the hall\n');
  assert.is((await done('todos', 'update', book, '--remove-label', 'Waiting', '--json')).json.labels.length, 0);
  const { json: view } = await done('views', 'create', 'Urgent', '--query', '{}', '--json');
  await done('views', 'create', 'Late', '--query', '{}', '--after-view', view.id);
  await done('views', 'update', 'Urgent', '--after-view', 'late');
  assert.is((await done('views', 'list', '--fields', 'name')).out, 'Late\nUrgent\n');
});

test('titles and starts of ids stand for ids in every command', async () => {
  const id = await make('Plan the launch');
  assert.is((await done('todos', 'get', 'plan the launch', '--json')).json.id, id);
  assert.is((await done('todos', 'update', id.slice(0, 35), '--priority', 'high', '--json')).json.priority, 'high');
  assert.is((await fails(5, 'todos', 'follow', 'Plan the launch')).code, 5);
  const chosen = await fails(2, 'todos', 'follow', 'Plan the launch', '--jsonl', '--fields', 'text');
  assert.match(chosen.err, '--fields does not go with the work of an agent');
  const { json: chat } = await done('chats', 'create', 'Hello', '--title', 'Greeting', '--json');
  assert.is((await done('chats', 'get', 'greeting', '--json')).json.id, chat.id);
  assert.is((await done('chats', 'get', chat.id.slice(0, 35), '--json')).json.id, chat.id);
  const { json: note } = await done('captures', 'create', 'note', '# Minutes\n\nBread.', '--json');
  assert.is((await done('captures', 'get', 'Minutes', '--json')).json.id, note.id);
  assert.is((await done('captures', 'get', note.id.slice(0, 35), '--json')).json.id, note.id);
  const { body: lists } = await workspace.call('GET /todo-lists');
  const start = lists.data[0].id.slice(0, 35);
  assert.is((await done('todo-lists', 'get', start, '--json')).json.id, lists.data[0].id);
});

test('a title that drives a terminal is shown harmless among the candidates', async () => {
  const title = 'Red \u001b[31malert';
  await make(title);
  await make(title);
  const { err } = await fails(2, 'todos', 'done', title);
  assert.not.match(err, '\u001b');
  assert.match(err, 'Red ␛[31malert');
});

test.run();
