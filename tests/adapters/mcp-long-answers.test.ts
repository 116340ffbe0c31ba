import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import type { Tool } from '../../adapters/operations.ts';
import { agentToolsOf } from '../../adapters/tools/agent-tools.ts';
import { answerOf, answerTo } from '../../adapters/tools/answer.ts';
import { compact } from '../../adapters/tools/text.ts';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { assertWholeIds, toolWorkspace } from '../support/mcp-clients.ts';

/* Answers that are too long are shortened: their ids stay whole, and what is left out is counted. */
const test = suite('mcp: long answers');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const world = () => toolWorkspace(tandem);

/** A workspace with agents and labels for todos with many of both. */
async function busyWorld() {
  const workspace = await world();
  const { call, agent } = workspace;
  const assignees: { id: string }[] = [];
  for (let i = 0; i < 4; i++) assignees.push({ id: await agent(`Agent for the offers ${i}`) });
  const labelIds: string[] = [];
  for (let i = 0; i < 6; i++) labelIds.push((await call('POST /labels', { name: `Label of the offer ${i}` })).body.id);
  return { ...workspace, assignees, labelIds };
}

test('ten ordinary todos fit with whole ids, and what is left out of a row is counted', async () => {
  const { use, call, assignees, labelIds } = await busyWorld();
  const title = 'Send the offer to the customer in Hamburg and ask which of the dates would suit them '.padEnd(
    120,
    'x',
  );
  for (const people of [2, 3, 4]) {
    const more = { assignees: assignees.slice(0, people), labelIds: labelIds.slice(0, 2 * people - 2) };
    const { body: list } = await call('POST /todo-lists', { name: `Offers for ${people}` });
    const todo = { title, todoListId: list.id, dueDate: '2026-03-01', priority: 'urgent', ...more };
    const made = await call('POST /todos/batch', { data: Array(12).fill({ ...todo, schedule: { every: 'day' } }) });
    assert.is(made.status, 200);
    const { isError, data, text } = await use('list_todos', { todoListId: list.id });
    assert.is(isError, false, text);
    assert.equal([data.data.length, data.hasMore], [10, true]);
    assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
    assertWholeIds(data, 30);
    for (const row of data.data) {
      assert.is(row.assignees.length + (row.moreAssignees ?? 0), more.assignees.length);
      assert.is(row.labels.length + (row.moreLabels ?? 0), more.labelIds.length);
      assert.ok(row.title.length >= 80);
    }
    const next = await use('list_todos', { todoListId: list.id, cursor: data.nextCursor });
    assert.is(next.data.data.length, 2);
  }
});

test('a todo with fifty sub-todos is shown with some of them and the number of the others', async () => {
  const { use, call, assignees, labelIds } = await busyWorld();
  const { body: todo } = await call('POST /todos', {
    title: 'Move house',
    content: 'y'.repeat(3000),
    assignees,
    labelIds,
  });
  const sub = (_: unknown, i: number) => ({ title: `${i} ${'t'.repeat(200)}`, parentTodoId: todo.id });
  await call('POST /todos/batch', { data: Array.from({ length: 50 }, sub) });
  const { isError, data, text } = await use('get_todo', { todoId: todo.id });
  assert.is(isError, false, text);
  assert.ok(text.length / 4 <= 2000, `${text.length / 4} tokens`);
  assert.is(data.subTodos.length + data.moreSubTodos, 50);
  assert.ok(data.subTodos.length >= 10 && data.todo.content.length >= 200, text);
  assert.is(data.truncated, true);
  assert.match(data.rest, /list_todos with parentTodoId/);
  assertWholeIds(data, 20);
});

const id = '019ca8a0-3e80-7602-8fae-580f5863abfb';

/** A tool whose answer fits in no size. */
function endless(more: Partial<Tool> = {}): Tool {
  const fields = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`field${i}`, 'x'.repeat(100)]));
  return {
    name: 'endless',
    title: 'Endless',
    description: '',
    scopes: [],
    readOnly: false,
    idempotent: false,
    maxText: 2000,
    maxBody: 2 ** 20,
    rest: 'Call get_chat with the id.',
    elicits: false,
    readAgain: null,
    input: z.strictObject({}),
    call: async () => ({ chatId: id, chat: { object: 'chat', id, fields }, messages: [{ fields }] }),
    ...more,
  };
}

test('an answer that fits in no size names what was made, and is no error', async () => {
  const tool = endless();
  const rest = { truncated: true, rest: tool.rest };
  const note = 'The rest of the answer is too long to be shown. What the call asked for is done: do not repeat it.';
  const expected = { chatId: id, chat: { object: 'chat', id, url: `https://tandem.test/chats/${id}` }, ...rest, note };
  const answer = answerOf(tool, await tool.call({} as AuthenticatedContext, {}), 'https://tandem.test');
  assert.equal([answer.structuredContent, answer.isError], [expected, undefined]);
  const ctx = {
    service: { publicUrl: 'https://tandem.test' },
    db: { transaction: <R>(work: (db: unknown) => R) => work({}) },
  } as unknown as AuthenticatedContext;
  const outcome = await agentToolsOf([tool], () => {})
    .get(tool.name)
    ?.call(ctx, {});
  assert.equal(outcome, { isError: false, output: expected, truncated: true, quotesCaptures: false });
  const read = answerOf(endless({ readOnly: true }), await tool.call(ctx, {}), 'https://tandem.test');
  assert.match((read.structuredContent as { note: string }).note, /Ask for less\.$/);
});

/** How often `work` goes through the characters of a text of this many. */
function passesOver(length: number, work: () => unknown): number {
  const prototype = String.prototype as { [Symbol.iterator](): StringIterator<string> };
  const whole = prototype[Symbol.iterator];
  let passes = 0;
  prototype[Symbol.iterator] = function (this: string) {
    if (this.length === length) passes += 1;
    return whole.call(this);
  };
  try {
    work();
  } finally {
    prototype[Symbol.iterator] = whole;
  }
  return passes;
}

test('a long text is counted once, in however many sizes its answer is tried', () => {
  const transcript = '"'.repeat(200_000);
  const texts = Array.from({ length: 4 }, () => 'x'.repeat(3000));
  const data = { capture: { object: 'capture', id, transcript, ...texts }, messages: [] };
  for (const more of [data, { ...data, ...Array.from({ length: 200 }, () => 'y'.repeat(100)) }]) {
    const answers: unknown[] = [];
    assert.is(
      passesOver(transcript.length, () => answers.push(answerOf(endless(), more, 'https://tandem.test'))),
      1,
    );
    assert.match(JSON.stringify(answers), /"truncated":true/);
  }
  const { structuredContent } = answerOf(endless(), data, 'https://tandem.test');
  const { cut, capture } = structuredContent as { cut: unknown[]; capture: { transcript: string } };
  assert.equal(cut.at(-1), { field: 'capture.transcript', shown: 1000, length: 200_000 });
  assert.is(capture.transcript, transcript.slice(0, 1000));
});

/** A tool that lists 14 rows, of which few fit on a page. */
const paging = endless({
  readOnly: true,
  input: z.strictObject({ limit: z.int().default(10), cursor: z.string().default('0') }),
  call: async (_, input) => {
    const { limit = 10, cursor = '0' } = input as { limit?: number; cursor?: string };
    const idFields = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}Id`, id]));
    const rows = Array.from({ length: 14 }, (_, place) => ({ place, ...idFields }));
    const end = Number(cursor) + limit;
    return { data: rows.slice(Number(cursor), end), hasMore: end < 14, nextCursor: end < 14 ? `${end}` : null };
  },
});

test('a page whose rows do not fit has fewer, and its cursor leads to the others', async () => {
  const ctx = { service: { publicUrl: 'https://tandem.test' } } as AuthenticatedContext;
  const seen: number[] = [];
  const sizes: number[] = [];
  for (let input: object = {}, more = true; more; ) {
    const { structuredContent } = await answerTo(paging, ctx, input);
    const { data, hasMore, nextCursor } = structuredContent as {
      data: { place: number }[];
      hasMore: boolean;
      nextCursor?: string;
    };
    assert.ok(JSON.stringify(structuredContent).length <= 8000);
    assertWholeIds(data, 30);
    seen.push(...data.map(({ place }) => place));
    sizes.push(data.length);
    [input, more] = [{ cursor: nextCursor }, hasMore];
  }
  assert.equal(seen, Array.from(seen.keys()));
  assert.equal(sizes, [5, 5, 4]);
});

test('lists are shortened at any depth, and a count that is there already grows', () => {
  const given = {
    data: [{ tags: ['a', 'b', 'c'], moreTags: 4, id: `${id}` }, { tags: ['a'] }, {}],
    parts: [[1, 2, 3]],
  };
  const { value, cuts, isShortened } = compact(given, 5, () => undefined, 1);
  const rows = [{ tags: ['a'], moreTags: 6, id }, { tags: ['a'] }, {}];
  assert.equal([value, cuts, isShortened], [{ data: rows, parts: [[1, 2, 3]] }, [], true]);
});

test.run();
