import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { folded } from '../../domain/text.ts';
import { followedWorkspace } from '../support/event-log.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';
import { answered } from '../support/until.ts';

const test = suite('labels');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const namesOf = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);

test('a label has a name and a colour, grey unless given, and is read back the same; the list is by name', async () => {
  const { call } = await tandem.workspace();
  assert.equal((await call('GET /labels')).body, { object: 'list', data: [], hasMore: false, nextCursor: null });
  const { status, body } = await call('POST /labels', { name: ' Waiting ', color: 'orange' });
  assert.is(status, 201);
  const { id, createdAt, updatedAt, ...rest } = body;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.is(updatedAt, createdAt);
  assert.equal(rest, { object: 'label', name: 'Waiting', color: 'orange' });
  assert.equal((await call(`GET /labels/${id}`)).body, body);
  const { body: plain } = await call('POST /labels', { name: 'admin' });
  assert.is(plain.color, 'gray');
  assert.equal((await call('GET /labels')).body.data, [plain, body]);
});

test('a rename and another colour are one event each, and equal values are none', async () => {
  const { does, makes, call } = await followedWorkspace(tandem);
  const made = await does('POST /labels', { name: 'a' });
  const { id } = made.body;
  assert.equal(made.events, [['label.created', id]]);
  assert.equal((await does(`PATCH /labels/${id}`, { name: 'b' })).events, [['label.updated', id, 'name']]);
  assert.equal((await does(`PATCH /labels/${id}`, { color: 'red' })).events, [['label.updated', id, 'color']]);
  const { body: before } = await call(`GET /labels/${id}`);
  const same = await does(`PATCH /labels/${id}`, { name: ' b ', color: 'red' });
  assert.equal([same.events, same.body], [[], before]);
  assert.is((await makes(`PATCH /labels/${id}`, { name: 'B' })).name, 'B');
  const gone = await does(`DELETE /labels/${id}`);
  assert.equal(gone.body, { object: 'deleted', id, deleted: true, recoverable: false });
  assert.equal(gone.events, [['label.deleted', id]]);
  refused(await call(`GET /labels/${id}`), 404, 'labelId');
});

test('no two labels of a workspace differ only in case, also where they are created at the same time', async () => {
  const { call } = await tandem.workspace();
  const names = ['Straße', 'STRASSE', 'ÉMILE', 'e\u0301mile', 'Émile', 'σοφός', 'ΣΟΦΌΣ'];
  const answers = await Promise.all(names.map((name) => call('POST /labels', { name })));
  const made = answers.filter(({ status }) => status === 201);
  assert.is(made.length, new Set(names.map(folded)).size);
  for (const answer of answers.filter(({ status }) => status !== 201)) refused(answer, 409, 'name');
  const [one, other] = made;
  refused(await call(`PATCH /labels/${one?.body.id}`, { name: other?.body.name.toUpperCase() }), 409, 'name');
  assert.is((await (await tandem.workspace()).call('POST /labels', { name: 'Straße' })).status, 201);
});

test('a name is 1 to 50 characters, a colour one of nine; an unknown label and one of another workspace are 404', async () => {
  const { call } = await tandem.workspace();
  refused(await call('POST /labels', { name: ' ' }), 400, 'name');
  refused(await call('POST /labels', { name: 'a'.repeat(51) }), 400, 'name');
  refused(await call('POST /labels', { name: 'a', color: '#fff' }), 400, 'color');
  assert.is((await call('POST /labels', { name: '😀'.repeat(50) })).status, 201);
  const { body: theirs } = await (await tandem.workspace()).call('POST /labels', { name: 'theirs' });
  for (const id of [unknownId, theirs.id]) {
    refused(await call(`PATCH /labels/${id}`, { name: 'b' }), 404, 'labelId');
    refused(await call(`DELETE /labels/${id}`), 404, 'labelId');
  }
});

test('a workspace has at most 200 labels, also where many are created at the same time', async () => {
  const { call, workspaceId } = await tandem.workspace();
  await tandem.db.rows(
    `insert into labels (workspace_id, id, name, key, color)
    select $1, gen_random_uuid(), n::text, n::text, 'gray' from generate_series(1, 197) n`,
    [workspaceId],
  );
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => answered(() => call('POST /labels', { name: `n${n}` }))),
  );
  assert.is(answers.filter(({ status }) => status === 201).length, 3);
  for (const answer of answers.filter(({ status }) => status !== 201)) refused(answer, 409, null);
  assert.is(namesOf(await call('GET /labels')).length, 200);
});

test('a precondition is compared with the label as it is', async () => {
  const { call } = await tandem.workspace();
  const made = await call('POST /labels', { name: 'a' });
  const headers = { 'if-match': made.headers.get('etag') ?? '' };
  const route = `/labels/${made.body.id}`;
  assert.is((await call(`PATCH ${route}`, { color: 'red' }, { headers })).status, 200);
  assert.is((await call(`PATCH ${route}`, { color: 'blue' }, { headers })).status, 412);
  assert.is((await call(`DELETE ${route}`, undefined, { headers })).status, 412);
  assert.is((await call(`DELETE ${route}`)).status, 200);
});

test.run();
