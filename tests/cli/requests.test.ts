import { Readable } from 'node:stream';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Names } from '../../cli/arguments/names.ts';
import { parseLine } from '../../cli/arguments/parse.ts';
import { buildRequest } from '../../cli/arguments/request.ts';
import { readDay, readInstant } from '../../cli/arguments/times.ts';
import { buildTree, find, isOperation } from '../../cli/commands/tree.ts';
import { printingOf } from '../../cli/output/print.ts';
import { table } from '../../cli/output/table.ts';
import type { Calls } from '../../cli/service/calls.ts';
import { readEvents } from '../../cli/service/events.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { lines, oneLine, safeJson } from '../../cli/terminal/safe.ts';
import { openSources } from '../../cli/terminal/sources.ts';
import { cut, width, wrap } from '../../cli/terminal/width.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('what the client makes of words');

const catalogue = catalogueOf();
const tree = buildTree(catalogue, []);
const now = new Date(2026, 10, 20, 10, 0, 0);

/** Nobody is asked anything: a name would be a fault. */
const calls: Calls = {
  canCall: () => false,
  send: () => Promise.reject(new Error('nothing is sent')),
  open: () => Promise.reject(new Error('nothing is opened')),
};

async function requestOf(args: string[], stdin = '') {
  const place = find(tree, args);
  if (place.kind !== 'command' || !isOperation(place.command)) throw new Error(args.join(' '));
  const parsed = parseLine(place.command, place.rest);
  printingOf(parsed.general, place.command.operation);
  const sources = openSources(Readable.from([stdin]));
  const desk = { catalogue, names: new Names(calls, { catalogue, now }), sources, now, askSecret: undefined };
  return buildRequest(place.command, parsed, desk);
}

async function faultOf(args: string[], stdin?: string): Promise<string> {
  const fault = await requestOf(args, stdin).then(
    () => assert.unreachable(`${args} was taken`),
    (error: Error & { exitCode: number; hints: string[] }) => error,
  );
  assert.is(fault?.exitCode, 2, String(fault?.stack));
  return [fault?.message, ...(fault?.hints ?? [])].join('\n');
}

test('a wrong value is refused with what is allowed', async () => {
  const faults: [string[], string][] = [
    [['todos', 'list', '--limit', '501'], '--limit must be at most 500'],
    [['todos', 'list', '--limit', '0'], '--limit must be at least 1'],
    [['todos', 'list', '--limit', 'many'], '--limit must be a whole number'],
    [['todos', 'list', '--sort', 'dueDat'], 'Did you mean dueDate?'],
    [['todos', 'create', 'x', '--due-date', '2026-02-30'], '--due-date must be a date'],
    [['todos', 'list', '--updated-since', 'yore'], '--updated-since must be a time'],
    [['todos', 'create', 'x', '--title', 'y'], 'Unexpected argument “x”.'],
    [['todos', 'create', '--title', 'x', '--title', 'y'], '--title is given twice.'],
    [['todos', 'create', 'x'.repeat(501)], 'at most 500 characters long; it has 501'],
    [['todos', 'update', unknownId, '--schedule', '{every}'], '--schedule must be JSON'],
    [['todos', 'update', unknownId, '--schedule', '[]'], '--schedule must be a JSON object'],
    [['todos', 'list', '--fields', 'titel'], 'There is no field “titel”.\nDid you mean title?'],
    [['chats', 'follow', unknownId, '--jsonl', '--fields', 'text'], '--fields does not go with the work of an agent'],
    [['todos', 'create', 'x', '--run', '--wait', '--fields', 'id'], 'Use --wait --json, which prints the resource'],
    [['todos', 'run', unknownId, '--wait', '--jsonl', '--fields', 'status'], '--fields does not go with the work'],
    [['todos', 'run', unknownId, '--wait', '--json', '--fields', 'statuss'], 'Did you mean status?'],
    [['chats', 'send', unknownId, '--message-file', '/nowhere'], '/nowhere cannot be read: no such file.'],
    [['todos', 'update', unknownId], 'Nothing to change.'],
    [['todos', 'create', 'x', '--idempotency-key', 'schlüssel'], 'printable ASCII'],
    [['auth', 'sign-in', 'ada@example.com', '--password', 'secret'], 'does not take a secret on the command line'],
    [['auth', 'sign-in', 'ada@example.com'], '--password is missing: write --password -'],
    [['api-keys', 'create', 'x', '--workspace', unknownId], '--scope is missing.'],
    [['api-keys', 'create', 'x', '--scope', 'todos:raed'], 'Did you mean todos:read?'],
    [['approvals', 'decide', unknownId, 'maybe'], 'DECISION must be one of approve, deny'],
    [['chats', 'get', '12'], 'CHAT must be an id (a UUID); it is “12”.'],
    [['todos', 'list', '--json', '--jsonl'], 'Choose one of --json and --jsonl.'],
  ];
  for (const [args, message] of faults) assert.match(await faultOf(args), message);
  assert.match(await faultOf(['chats', 'create', '-', '--body', '-'], '{}'), 'Both --body and MESSAGE read stdin.');
});

test('a text from stdin that is not UTF-8 is refused, as one from a file is', async () => {
  const sources = () => openSources(Readable.from([Buffer.from('Gr'), Buffer.from([0xfc]), Buffer.from('n')]));
  for (const reading of [sources().stdin('TITLE'), sources().line('--password')]) {
    const fault = await reading.then(
      (text) => assert.unreachable(text),
      (error: Error & { exitCode: number }) => error,
    );
    assert.equal([fault?.exitCode, fault?.message], [2, 'stdin is not UTF-8 text.']);
  }
  // A sign that arrives in two parts is one all the same.
  const parts = [Buffer.from([0xc3]), Buffer.from([0xbc])];
  assert.is(await openSources(Readable.from(parts)).stdin('TITLE'), 'ü');
});

test('whole objects, their parts and lists come together', async () => {
  const schedule = ['--schedule', '{"every":"week","count":3}', '--on', 'mon,tue', '--on', 'fri', '--count', '5'];
  const { body } = await requestOf(['todos', 'create', 'x', ...schedule]);
  assert.equal(body, { title: 'x', schedule: { every: 'week', on: ['mon', 'tue', 'fri'], count: 5 } });
  const unassigned = await requestOf(['todos', 'create', 'x', '--no-assignee']);
  assert.equal(unassigned.body, { title: 'x', assignees: [] });
  const bulk = await requestOf([
    'todos',
    'bulk-update',
    unknownId,
    '--no-priority',
    '--no-assignee',
    '--status',
    'done',
  ]);
  assert.equal(bulk.body, { ids: [unknownId], patch: { priority: null, assignees: [], status: 'done' } });
  const settings = await requestOf(['notifications', 'update-settings', '--no-todo-due-email', '--run-failed-in-app']);
  assert.equal(settings.body, { kinds: { todo_due: { email: false }, run_failed: { inApp: true } } });
  const agent = await requestOf([
    'agents',
    'update',
    unknownId,
    '--no-instructions',
    '--clear',
    'description',
    '--day',
    'mon',
  ]);
  assert.equal(agent.body, { clear: ['instructions', 'description'], workingHours: { days: ['mon'] } });
  const json = '[{"title":"One","assignees":[]},{"title":"Two"}]';
  assert.equal((await requestOf(['todos', 'create-batch', json])).body, { data: JSON.parse(json) });
  assert.equal((await requestOf(['todos', 'list', '--no-unassigned', '--limit=5'])).query, {
    unassigned: 'false',
    limit: '5',
  });
  const secrets = await requestOf(
    ['auth', 'change-password', '--current-password', '-', '--new-password', '-'],
    'old\nnew\n',
  );
  assert.equal(secrets.body, { currentPassword: 'old', newPassword: 'new' });
});

test('a text is kept as it is typed: only - is stdin, and @ is a file for JSON alone', async () => {
  assert.equal((await requestOf(['chats', 'create', '@ada, can you?'])).body, { message: '@ada, can you?' });
  assert.equal((await requestOf(['chats', 'create', '-'], 'two\nlines\n')).body, { message: 'two\nlines' });
  assert.equal((await requestOf(['todos', 'create', '--', '--title'])).body, { title: '--title' });
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), async (message) => {
      fc.pre(message !== '-');
      assert.equal((await requestOf(['chats', 'create', '--', message])).body, { message });
    }),
  );
  assert.match(await faultOf(['todos', 'create-batch', '@/nowhere.json']), '/nowhere.json cannot be read');
});

test('days and times read as people type them', () => {
  const days: [string, string | undefined][] = [
    ['2026-03-01', '2026-03-01'],
    ['2024-02-29', '2024-02-29'],
    ['2026-02-29', undefined],
    ['today', '2026-11-20'],
    ['Tomorrow', '2026-11-21'],
    ['yesterday', '2026-11-19'],
    ['+11d', '2026-12-01'],
    ['-3w', '2026-10-30'],
    ['3d', undefined],
    ['soon', undefined],
  ];
  for (const [text, day] of days) assert.is(readDay(text, now), day, text);
  const local = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();
  const times: [string, string | undefined][] = [
    ['2026-03-01T09:00:00+01:00', '2026-03-01T09:00:00+01:00'],
    ['2026-03-01T09:00:00Z', '2026-03-01T09:00:00Z'],
    ['2026-03-01 09:00', local(2026, 2, 1, 9, 0)],
    ['2026-03-01T09:00', local(2026, 2, 1, 9, 0)],
    ['2026-03-01', local(2026, 2, 1, 0, 0)],
    ['now', now.toISOString()],
    ['-24h', local(2026, 10, 19, 10, 0)],
    ['+30m', local(2026, 10, 20, 10, 30)],
    ['2026-13-01T09:00:00Z', undefined],
    ['2026-03-01 25:00', undefined],
    ['9 o’clock', undefined],
  ];
  for (const [text, time] of times) assert.is(readInstant(text, now), time, text);
});

const terminal = (columns: number): Output => ({
  isTerminal: true,
  columns,
  isOptional: false,
  write: () => {},
  paint: (_, text) => text,
});

test('a table fits the terminal, whatever is in it', () => {
  const names = ['id', 'title', 'status', 'dueDate', 'assignees', 'createdAt'];
  const anyText = fc.string({ unit: 'grapheme', maxLength: 80 });
  const row = fc.record({
    id: fc.uuid(),
    title: anyText,
    status: fc.constantFrom('ready', 'in_progress'),
    dueDate: anyText,
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 40, max: 200 }), (rows, columns) => {
      const shown = table(names, rows, terminal(columns), now);
      for (const line of shown.trimEnd().split('\n')) assert.ok(width(line) <= columns, line);
      for (const { id } of rows) assert.match(shown, id);
    }),
  );
  const wide = table(
    ['title', 'status'],
    [{ title: '日本語のとても長い題名です', status: 'ready' }],
    terminal(24),
    now,
  );
  assert.is(wide, 'TITLE             STATUS\n日本語のとても…   ready\n');
});

test('in a narrow terminal the title comes first, and the whole id is on a line below', () => {
  const id = '019ca8a0-3e80-7234-8660-67f626bf8a3a';
  const names = ['id', 'title', 'status'];
  const rows = [
    { id, title: 'Compare three caterers', status: 'ready' },
    { id, title: null, status: null },
  ];
  assert.equal(table(names, rows, terminal(40), now).split('\n'), [
    'TITLE                   STATUS',
    'Compare three caterers  ready',
    `  ${id}`,
    '',
    `  ${id}`,
    '',
  ]);
  assert.match(table(names, rows, terminal(80), now), new RegExp(`^ID .*TITLE .*STATUS.*\\n${id}  Compare`));
  const agent = [{ id, name: 'Scout' }];
  assert.is(table(['id', 'name'], agent, terminal(40), now), `NAME\nScout\n  ${id}\n`);
  assert.is(table(['id'], agent, terminal(40), now), `ID\n${id}\n`);
});

test('the width of a text is what a terminal gives it', () => {
  const widths: [string, number][] = [
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['a\u200bb', 2],
    ['ＡＢ', 4],
  ];
  for (const [text, columns] of widths) assert.is(width(text), columns, text);
  assert.is(cut('日本語', 5), '日本…');
  assert.is(cut('日本語', 4), '日…');
  assert.equal(wrap('one two three', 7), ['one two', 'three']);
});

test('no text of the service drives a terminal, and JSON keeps its value', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be printed
  const commands = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
  const anyText = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(anyText, (text) => {
      assert.not.match(oneLine(text), /\n/);
      for (const shown of [oneLine(text), lines(text), safeJson({ [text]: text }, 2)])
        assert.not.match(shown, commands);
      assert.equal(JSON.parse(safeJson({ text }, 0)), { text });
    }),
  );
  assert.is(lines('a\tb\r\nc\u001b[2J'), 'a  b\nc␛[2J');
  assert.is(oneLine('two \n\tlines,  spaces'), 'two lines,  spaces');
  const blank = ' '.repeat(1_000_000);
  assert.is(oneLine(`${blank}x`), `${blank}x`);
  assert.is(oneLine('\ud800'), '\ufffd');
});

test('events read the same wherever the network cuts them', async () => {
  const text =
    ': beat\n\nevent: message\nid: 7\ndata: {"text":"grün 😀"}\n\ndata: one\r\ndata: two\r\n\r\nevent: done\ndata: x\n\nevent: cut\ndata: off';
  const bytes = new TextEncoder().encode(text);
  const expected = [
    { event: 'message', id: '7', data: '{"text":"grün 😀"}' },
    { event: 'message', id: '7', data: 'one\ntwo' },
    { event: 'done', id: '7', data: 'x' },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 8 }), async (places) => {
      const at = [0, ...places.sort((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const events: unknown[] = [];
      for await (const event of readEvents(Readable.from(pieces))) events.push(event);
      assert.equal(events, expected);
    }),
  );
});

test.run();
