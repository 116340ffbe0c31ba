import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openPrompt, type Prompt, runsAt } from '../support/cli-world.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { freePort } from '../support/ports.ts';
import { addAgent, assistantOf } from '../support/todo-fixtures.ts';

const test = suite('the client at work');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
  prompt = openPrompt(tandem.url, workspace.key);
});
test.after.each(() => prompt.close());
test.after(() => tandem.close());

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const { run, done, fails } = runsAt(() => prompt);

test('with --json it prints what the API answers, and with --jsonl a line for each item', async () => {
  await done('todos', 'create', 'Water the plants', '--due-date', '2027-01-15', '--priority', 'high');
  await done('todos', 'create', 'Pay the rent', '--content', 'By transfer');
  const { body } = await workspace.call('GET /todos');
  const list = await done('todos', 'list', '--json');
  assert.equal(list.json, body);
  const lines = (await done('todos', 'list', '--jsonl')).out.trim().split('\n');
  assert.equal(
    lines.map((line) => JSON.parse(line)),
    body.data,
  );
  const chosen = await done('todos', 'list', '--json', '--fields', 'title,dueDate');
  assert.equal(chosen.json.data, [
    { title: 'Pay the rent', dueDate: null },
    { title: 'Water the plants', dueDate: '2027-01-15' },
  ]);
  const [first] = body.data;
  assert.equal((await done('todos', 'get', first.id, '--json')).json, first);
});

test('a list that is piped has a line for each item, with tabs, without headings or colours', async () => {
  const { json: todo } = await done('todos', 'create', 'A title that is longer than any column would be', '--json');
  const { out } = await done('todos', 'list');
  assert.match(out, new RegExp(`^${todo.id}\tA title that is longer than any column would be\tready\t`));
  assert.is(out.trimEnd().split('\n').length, 1);
  assert.not.match(out, controls);
  const block = await done('todos', 'get', todo.id);
  assert.match(block.out, /^id +\S+\ntitle +A title that is longer/);
  assert.match(block.out, /^created +\d{4}-\d\d-\d\dT/m);
  const coloured = await run(['todos', 'get', todo.id], { environment: { FORCE_COLOR: '1' } });
  assert.match(coloured.out, '\u001b[2m');
  const plain = await run(['todos', 'get', todo.id], { environment: { FORCE_COLOR: '1', NO_COLOR: '1' } });
  assert.is(plain.out, block.out);
});

test('what stands in a title never reaches the terminal as a command, in whatever form it is shown', async () => {
  const title = 'Evil \u001b[2J\u001b]0;owned\u0007 \u009b31m \u202egnp.exe\u202c\ttab\r\nline \u2028 end';
  const { body } = await workspace.call('POST /todos', { title, content: `${title}\n\u001b[A second` });
  const forms = [[], ['--json'], ['--jsonl'], ['--fields', 'title,content']];
  const lines = forms.flatMap((form) => [
    ['todos', 'list', ...form],
    ['todos', 'get', body.id, ...form],
  ]);
  const show = async (args: string[]) => {
    const { out } = await done(...args);
    assert.not.match(out, controls, args.join(' '));
    if (args.includes('--json')) assert.match(out, '\\u001b');
  };
  await Promise.all(lines.map(show));
  assert.is((await done('todos', 'get', body.id, '--json')).json.title, title);
  const error = await fails(2, 'todos', 'create', 'x', '--list', 'no\u001b[2Jlist');
  assert.not.match(error.err, controls);
});

test('names stand for ids: of lists, agents and yourself', async () => {
  const { workspaceId, userId } = workspace;
  const scout = await addAgent(tandem, workspaceId, 'Scout');
  const { json: list } = await done('todo-lists', 'create', 'Errands', '--json');
  const made = await done(
    'todos',
    'create',
    'Buy bread',
    '--list',
    'errands',
    '--agent',
    'scout',
    '--assignee',
    'me',
    '--json',
  );
  assert.is(made.json.todoListId, list.id);
  assert.equal(
    made.json.assignees.map(({ id }: { id: string }) => id),
    [scout, userId],
  );
  const mine = await done('todos', 'list', '--assignee', 'me', '--list', 'Errands', '--json');
  assert.is(mine.json.data.length, 1);
  for (const assignee of ['scout', `${scout},me`]) {
    const { json } = await done('todos', 'list', '--assignee', assignee, '--json');
    assert.is(json.data[0]?.id, made.json.id, assignee);
  }
  assert.is((await done('todos', 'summary', '--assignee', 'Assistant', '--json')).json.total, 0);
  const dry = ['todos', 'bulk-update', '--where-assignee', 'Scout', '--status', 'done', '--dry-run'];
  assert.is((await done(...dry, '--json')).json.data.length, 1);
  const renamed = await done('agents', 'update', 'Scout', '--name', 'Ranger', '--json');
  assert.is(renamed.json.id, scout);
  assert.match((await fails(2, 'agents', 'get', 'Nobody')).err, 'Known: Ranger, Assistant.');
  await done('todo-lists', 'create', 'errands');
  const both = await fails(2, 'todos', 'list', '--list', 'ERRANDS');
  assert.match(both.err, 'is not unique');
  assert.match(both.err, list.id);
  assert.match((await fails(2, 'approvals', 'get', 'Nobody')).err, 'APPROVAL must be an id');
});

test('every kind of value can be given, and taken away again', async () => {
  const made = await run(
    [
      'todos',
      'create',
      '--content',
      '-',
      '--title',
      'Notes',
      '--every',
      'week',
      '--on',
      'mon,tue',
      '--on',
      'fri',
      '--at',
      '09:00',
      '--json',
    ],
    { stdin: 'From stdin\nin two lines\n' },
  );
  assert.is(made.code, 0, made.err);
  assert.is(made.json.content, 'From stdin\nin two lines');
  assert.match(made.json.rrule, 'BYDAY=MO,TU,FR');
  const { id } = made.json;
  const paused = await done('todos', 'update', id, '--schedule-paused', '--due-date', '2027-02-28', '--json');
  assert.equal([paused.json.scheduleStatus, paused.json.dueDate], ['disabled', '2027-02-28']);
  const bare = await done(
    'todos',
    'update',
    id,
    '--no-schedule',
    '--no-due-date',
    '--no-content',
    '--no-assignee',
    '--json',
  );
  const { rrule, dueDate, content, assignees } = bare.json;
  assert.equal({ rrule, dueDate, content, assignees }, { rrule: null, dueDate: null, content: null, assignees: [] });
  const whole = await run(['todos', 'create-batch', '-', '--json'], {
    stdin: '[{"title":"One"},{"title":"Two"}]',
  });
  assert.equal(
    whole.json.data.map(({ title }: { title: string }) => title),
    ['One', 'Two'],
  );
  const ids = whole.json.data.map((each: { id: string }) => each.id);
  const bulk = await done('todos', 'bulk-update', ...ids, '--status', 'done', '--json');
  assert.equal(
    bulk.json.data.map(({ status }: { status: string }) => status),
    ['done', 'done'],
  );
  const body = await done(
    'todos',
    'create',
    '--body',
    '{"title":"Whole","priority":"low"}',
    '--priority',
    'urgent',
    '--json',
  );
  assert.equal([body.json.title, body.json.priority], ['Whole', 'urgent']);
  const agent = await done(
    'agents',
    'create',
    'Scout',
    '--no-requires-approval',
    '--instructions',
    'Be brief.',
    '--json',
  );
  assert.equal([agent.json.requiresApproval, agent.json.instructions], [false, 'Be brief.']);
  const cleared = await done('agents', 'update', 'Scout', '--no-instructions', '--json');
  assert.is(cleared.json.instructions, null);
});

test('notes are written from stdin, and transcripts come out of files', async () => {
  const note = await run(['captures', 'create', 'note', '-', '--tag', 'planning,spring', '--json'], {
    stdin: '# Spring release\n\nWe ship on Monday.\n',
  });
  assert.is(note.code, 0, note.err);
  const written = await done('captures', 'get', note.json.id, '--json');
  const { title, content, tags } = written.json;
  assert.equal(
    { title, content, tags },
    { title: 'Spring release', content: 'We ship on Monday.', tags: ['planning', 'spring'] },
  );
  const file = join(prompt.home, 'meeting.vtt');
  writeFileSync(file, 'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Shall we ship?\n');
  const from = ['--format', 'vtt', '--transcript-body-file', file, '--title', 'Meeting'];
  const recording = await done('captures', 'create', 'recording', ...from, '--json');
  assert.is(recording.json.type, 'recording');
  const tagged = await done('captures', 'list', '--tag', 'spring', '--fields', 'title');
  assert.is(tagged.out, 'Spring release\n');
});

test('an invalid value is an error before anything is sent', async () => {
  const offline = { environment: { TANDEM_URL: `http://127.0.0.1:${await freePort()}` } };
  const { code, out, err } = await run(['todos', 'list', '--status', 'redy'], offline);
  assert.equal([code, out], [2, '']);
  const allowed = 'ready, in_progress, done, active';
  assert.is(err, `Error: --status must be one of ${allowed}; it is “redy”.\nDid you mean ready?\n`);
});

test('dates and times are taken as people type them', async () => {
  const now = new Date();
  const { json } = await done('todos', 'create', 'x', '--due-date', '+1w', '--run-at', '+2h', '--json');
  // The day may have ended meanwhile.
  const weeks = [now, new Date()].map((at) => new Date(at.getTime() + 7 * 86_400_000).toISOString().slice(0, 10));
  assert.ok(weeks.includes(json.dueDate), `${json.dueDate} is not ${weeks}`);
  assert.ok(Math.abs(Date.parse(json.nextRunAt) - now.getTime() - 7_200_000) < 60_000);
  assert.is((await done('todos', 'list', '--created-since=-1h', '--json')).json.data.length, 1);
  assert.is((await done('todos', 'list', '--created-since', '+1h', '--json')).json.data.length, 0);
  assert.is(
    (await done('todos', 'list', '--created-since', `${json.createdAt.slice(0, 10)} 00:00`, '--json')).json.data.length,
    1,
  );
});

test('--all walks every page, in whatever form', async () => {
  await workspace.call('POST /todos/batch', {
    data: Array.from({ length: 7 }, (_, index) => ({ title: `Todo ${index}` })),
  });
  const { body } = await workspace.call('GET /todos');
  const all = await done('todos', 'list', '--all', '--limit', '3', '--json');
  assert.equal(all.json, { ...body, totalCount: null });
  const ids = body.data.map(({ id }: { id: string }) => id);
  const lines = (await done('todos', 'list', '--all', '--limit', '2', '--fields', 'id')).out.trim().split('\n');
  assert.equal(lines, ids);
  const page = await done('todos', 'list', '--limit', '3', '--json');
  const next = await done('todos', 'list', '--limit', '3', '--cursor', page.json.nextCursor, '--json');
  assert.is(next.json.data[0].id, ids[3]);
  const some = await done('todos', 'list', '--limit', '2', '--include', 'totalCount');
  assert.match(some.err, /^7 in all\.\nMore results: --all, or --cursor \S+\n$/);
  const since = await done('todos', 'list', '--limit', '3', '--created-since', '-1h');
  const [, more = ''] = /^More results: --all, or (--created-since \S+ --cursor \S+)\n$/.exec(since.err) ?? [];
  const rest = await done('todos', 'list', '--limit', '3', ...more.split(' '), '--json');
  assert.is(rest.json.data[0].id, ids[3]);
});

test('the default agent is found by its name when a todo is given to it', async () => {
  const { json } = await done('todos', 'create', 'x', '--agent', 'Assistant', '--run', '--json');
  assert.is(json.assignees[0].id, await assistantOf(tandem, workspace.workspaceId));
  assert.is(json.latestRun.status, 'running');
});

test.run();
