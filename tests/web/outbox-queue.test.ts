import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Problem } from '../../web/src/api/problem.ts';
import type { Change, Todo } from '../../web/src/outbox/merge.ts';
import { conflictsOf } from '../../web/src/outbox/parked.ts';
import { Queue } from '../../web/src/outbox/queue.ts';
import type { Answer } from '../../web/src/outbox/send.ts';
import { UnstoredWrites } from '../../web/src/outbox/unstored.ts';
import type { Action, Outcome, Write } from '../../web/src/outbox/write.ts';

/* The queue of changes on their way, with a clock, a store and a service of the test. */

const test = suite('unsent changes: the queue');

const todoOf = (id: string, fields: Partial<Todo> = {}) =>
  ({ id, title: id, status: 'ready', assignees: [], version: 1, ...fields }) as unknown as Todo;
const answerOf = (todo: Todo): Answer => ({
  todos: [todo],
  tagged: { resource: todo, tag: `"${todo.version}"` },
  conflicts: [],
});
const nothing: Answer = { todos: [], tagged: null, conflicts: [] };
const problem = (status: number, more: Partial<Problem> = {}) => {
  const whole = {
    status,
    code: 'x',
    message: `No, ${status}.`,
    retryable: status >= 500 || status === 429,
    errors: [],
    ...more,
  };
  return Object.assign(new Error(whole.message), { problem: whole });
};

/** Lets everything go on that waits for nothing but other promises. */
const settle = () => setTimeout(5);

/** A browser: what it stores outlives its windows. */
function newWorld() {
  const store = new UnstoredWrites();
  const sent: Write[] = [];
  const hasWaited: boolean[] = [];
  const held = new Map<string, PromiseWithResolvers<Answer>>();
  const outcomes: [id: string, outcome: Outcome][] = [];
  const timers = new Set<{ at: number; work: () => void }>();
  const world = { time: 1_000_000, isOnline: true, isSame: true, chance: 0 };
  let ids = 0;
  const open = (onOwnChange = () => {}) =>
    new Queue({
      store,
      newId: () => `new-${++ids}`,
      send: (write, waited) => {
        sent.push(write);
        hasWaited.push(waited);
        const answer = Promise.withResolvers<Answer>();
        held.set(write.id, answer);
        return answer.promise;
      },
      problemOf: (error) => (error as { problem: Problem }).problem,
      isSameSession: async () => world.isSame,
      isOnline: () => world.isOnline,
      now: () => world.time,
      random: () => world.chance,
      after: (ms, work) => {
        const timer = { at: world.time + ms, work };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      onChange: (_, isOwn) => isOwn && onOwnChange(),
      onSettled: ({ id }, outcome) => outcomes.push([id, outcome]),
    });
  const pass = async (ms: number) => {
    world.time += ms;
    for (const timer of [...timers]) {
      if (timer.at > world.time) continue;
      timers.delete(timer);
      timer.work();
    }
    await settle();
  };
  const answer = async (id: string, given: Answer | Error) => {
    const waiting = held.get(id);
    if (!waiting) throw new Error(`${id} is not sent`);
    held.delete(id);
    if (given instanceof Error) waiting.reject(given);
    else waiting.resolve(given);
    await settle();
  };
  const writeOf = (id: string, action: Action, todos: Todo[], more: Partial<Write> = {}): Write => ({
    ...{ id, action, todos, shows: {}, base: todos[0] ?? null, known: null, madeAt: world.time, sentAt: null },
    ...{ state: 'waiting', problem: null, theirs: null },
    ...more,
  });
  const update = (id: string, change: Change, todo: Todo, more: Partial<Write> = {}) =>
    writeOf(id, { operation: 'update', change }, [todo], { base: { ...todo }, ...more });
  return { world, store, sent, hasWaited, outcomes, open, pass, answer, writeOf, update };
}

const idsOf = (writes: readonly { id: string }[]) => writes.map(({ id }) => id);

test('a write is stored as sent before it is sent, and leaves with the answer', async () => {
  const { open, store, sent, outcomes, answer, update } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  assert.equal(idsOf(sent), ['1']);
  assert.is((await store.all())[0]?.sentAt, 1_000_000);
  const stored = todoOf('a', { status: 'done', version: 2 });
  await answer('1', answerOf(stored));
  assert.equal([await store.all(), queue.writes], [[], []]);
  assert.equal(outcomes[0]?.[1].state, 'stored');
});

test('writes of one todo go one after the other, of different ones side by side, at most four', async () => {
  const { open, sent, answer, update, writeOf } = newWorld();
  const queue = open();
  await queue.add(update('1', { title: 'B' }, todoOf('a', { title: 'A' })));
  await queue.add(update('2', { title: 'C' }, todoOf('a', { title: 'B' })));
  await queue.add(writeOf('3', { operation: 'archive' }, [todoOf('b'), todoOf('c')]));
  await queue.add(update('4', { status: 'done' }, todoOf('c')));
  for (const id of ['5', '6', '7', '8']) await queue.add(update(id, { status: 'done' }, todoOf(`other-${id}`)));
  assert.equal(sent, []);
  queue.run();
  await settle();
  assert.equal(idsOf(sent), ['1', '3', '5', '6']);
  const now = todoOf('a', { title: 'B', version: 2 });
  await answer('1', answerOf(now));
  assert.equal(idsOf(sent), ['1', '3', '5', '6', '2']);
  assert.equal([sent[4]?.known?.tag, sent[4]?.base?.title], ['"2"', 'B']);
  await answer('3', nothing);
  assert.equal(idsOf(sent).slice(5), ['4']);
});

test('what fails is sent again after a growing pause with a share of chance, and not before Retry-After', async () => {
  const { open, world, sent, outcomes, pass, answer, update, store } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  await answer('1', problem(0));
  assert.equal([outcomes[0]?.[1].state, (await store.all())[0]?.problem], ['waits', 'No, 0.']);
  await pass(499);
  assert.is(sent.length, 1);
  await pass(1);
  assert.is(sent.length, 2);
  await answer('1', problem(503, { retryAfterSeconds: 30 }));
  await queue.add(update('2', { status: 'done' }, todoOf('b')));
  queue.wake();
  await pass(29_999);
  assert.is(sent.length, 2, 'neither it nor any other, also when the connection is back');
  queue.wake();
  await pass(1);
  assert.equal(idsOf(sent), ['1', '1', '1', '2']);
  await answer('1', problem(429, { retryAfterSeconds: 10 }));
  world.chance = 0.999;
  await answer('2', problem(500));
  assert.is((await store.all()).length, 2);
  await pass(10_000);
  assert.is(sent.length, 4, 'the pause goes on for a share of chance');
  await pass(60_000);
  assert.equal(idsOf(sent).slice(4), ['1', '2']);
});

test('offline nothing is sent; what waited says so to the service', async () => {
  const { open, world, sent, hasWaited, update } = newWorld();
  world.isOnline = false;
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  assert.equal(sent, []);
  world.time += 60_000;
  world.isOnline = true;
  queue.wake();
  await settle();
  assert.equal([idsOf(sent), hasWaited], [['1'], [true]]);
});

test('an undo counts as one that has waited, however soon it is sent', async () => {
  const { open, hasWaited, update } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await queue.add(update('2', { status: 'ready' }, todoOf('b'), { undoes: true }));
  await settle();
  assert.equal(hasWaited, [false, true]);
});

test('a refused field goes back alone, and what was made of it goes on from what was there', async () => {
  const { open, sent, outcomes, answer, update } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await queue.add(update('2', { status: 'in_progress', priority: 'low' }, todoOf('a', { status: 'done' })));
  await settle();
  await answer('1', problem(402));
  assert.equal(outcomes[0]?.[1].state, 'refused');
  assert.equal(idsOf(queue.writes), ['2']);
  assert.equal([sent[1]?.id, sent[1]?.base?.status], ['2', 'ready']);
});

test('refused text is kept until it is discarded or replaced; a refused creation holds what follows it', async () => {
  const { open, sent, answer, update, writeOf } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { title: 'Long' }, todoOf('a')));
  await settle();
  await answer('1', problem(400));
  assert.equal(
    queue.writes.map(({ state, problem: why }) => [state, why]),
    [['refused', 'No, 400.']],
  );
  await queue.add(update('2', { title: 'Short' }, todoOf('a')));
  assert.equal(idsOf(queue.writes), ['2']);

  const made = todoOf('b', { version: 0 });
  await queue.add(writeOf('3', { operation: 'create', input: { id: 'b', title: 'b' } }, [made]));
  await queue.add(update('4', { status: 'done' }, made));
  await settle();
  await answer('3', problem(404));
  assert.equal(idsOf(sent), ['1', '2', '3']);
  await queue.retry('3');
  await settle();
  assert.equal(idsOf(sent), ['1', '2', '3', '3']);
  await answer('3', problem(404));
  await queue.discard(['3']);
  assert.equal(idsOf(queue.writes), ['2']);
  assert.equal(idsOf(sent).length, 4);
});

test('what others changed too is parked, the last one of a field, and holds nothing', async () => {
  const { open, sent, outcomes, answer, update } = newWorld();
  const queue = open();
  queue.run();
  const mine = todoOf('a', { title: 'A' });
  await queue.add(update('1', { title: 'B' }, mine));
  await queue.add(update('2', { title: 'C' }, todoOf('a', { title: 'B' })));
  await queue.add(update('3', { status: 'done' }, mine));
  await settle();
  const theirs = todoOf('a', { title: 'Z', version: 5 });
  const conflicts = (title: string) => [{ change: { title }, theirs }];
  await answer('1', { ...answerOf(theirs), conflicts: conflicts('B') });
  await answer('2', { ...answerOf(theirs), conflicts: conflicts('C') });
  assert.equal(
    outcomes.map(([id, { state }]) => [id, state]),
    [
      ['1', 'conflict'],
      ['2', 'conflict'],
    ],
  );
  assert.equal(idsOf(sent), ['1', '2', '3']);
  const parked = queue.writes.filter(({ state }) => state === 'conflict');
  assert.equal(
    parked.map(({ action, theirs: other }) => [action.operation === 'update' && action.change, other?.title]),
    [[{ title: 'C' }, 'Z']],
  );
});

test('of two fields of a change that others changed too, one is discarded and the other stays parked', async () => {
  const { open, answer, update } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { title: 'B', content: 'Long text' }, todoOf('a')));
  await settle();
  const theirs = todoOf('a', { title: 'Z', content: 'Theirs', version: 5 });
  const conflicts = [{ title: 'B' }, { content: 'Long text' }].map((change) => ({ change, theirs }));
  await answer('1', { ...answerOf(theirs), conflicts });
  const shown = () => conflictsOf(queue.writes, 'a').map(({ id, mine }) => [id, mine]);
  assert.equal(shown(), [
    ['new-1', { title: 'B' }],
    ['new-2', { content: 'Long text' }],
  ]);
  await queue.discard(['new-1']);
  assert.equal(shown(), [['new-2', { content: 'Long text' }]]);
});

test('a window that is closed before the answer leaves a write that the next one sends again, with its key', async () => {
  const { open, store, sent, hasWaited, writeOf, answer } = newWorld();
  const first = open();
  first.run();
  await first.add(writeOf('1', { operation: 'create', input: { id: 'a', title: 'a' } }, [todoOf('a')]));
  await settle();
  first.stop();
  const second = open();
  await second.load();
  second.run();
  await settle();
  assert.equal(
    [idsOf(sent), hasWaited],
    [
      ['1', '1'],
      [false, true],
    ],
  );
  await answer('1', answerOf(todoOf('a')));
  assert.equal(await store.all(), []);
});

test('what was sent longer ago than the service keeps its key is not sent again without asking', async () => {
  const { open, world, sent, update } = newWorld();
  const day = 24 * 60 * 60_000;
  const queue = open();
  await queue.add(update('1', { status: 'done' }, todoOf('a'), { sentAt: world.time - day }));
  await queue.add(update('2', { status: 'done' }, todoOf('b'), { madeAt: world.time - 5 * day }));
  queue.run();
  await settle();
  assert.equal(idsOf(sent), ['2']);
  assert.equal(
    queue.writes.map(({ id, state }) => [id, state]),
    [
      ['1', 'asks'],
      ['2', 'waiting'],
    ],
  );
  assert.match(queue.writes[0]?.problem ?? '', /more than a day ago/);
  await queue.retry('1');
  await settle();
  assert.equal(idsOf(sent), ['2', '1']);
});

test('nothing is sent for another session, nor after the session has ended', async () => {
  const { open, world, sent, answer, update, store } = newWorld();
  world.isSame = false;
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  assert.equal(sent, []);
  world.isSame = true;
  queue.run();
  await settle();
  await answer('1', problem(401));
  queue.wake();
  await settle();
  assert.equal([sent.length, idsOf(await store.all())], [1, ['1']]);
});

test('what is refused in the session of somebody else waits as if it had never been sent', async () => {
  const { open, world, sent, answer, outcomes, update, store } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  world.isSame = false;
  await answer('1', problem(409, { reason: 'session_changed' }));
  queue.wake();
  await settle();
  const [write] = await store.all();
  assert.equal([sent.length, write?.id, write?.state, write?.sentAt], [1, '1', 'waiting', null]);
  assert.equal(outcomes, []);
});

test('only what was never sent is withdrawn; what is being sent is discarded once that has failed', async () => {
  const { open, world, outcomes, update, answer, store } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await queue.add(update('2', { status: 'ready' }, todoOf('a', { status: 'done' })));
  await settle();
  assert.equal(await queue.discard(['1', '2'], false), ['2']);
  assert.equal(outcomes, [['2', { state: 'withdrawn' }]]);
  const discarded = queue.discard(['1']);
  await settle();
  assert.equal(idsOf(await store.all()), ['1']);
  world.isOnline = false;
  await answer('1', problem(0));
  assert.equal(await discarded, ['1']);
  assert.equal(await queue.discard(['1']), []);
  assert.equal(await store.all(), []);
});

test('what the service stores while it is being discarded is not taken back', async () => {
  const { open, outcomes, update, answer, store } = newWorld();
  const queue = open();
  queue.run();
  await queue.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  const discarded = queue.discard(['1']);
  const done = todoOf('a', { status: 'done', version: 2 });
  await answer('1', answerOf(done));
  assert.equal(await discarded, []);
  assert.equal(outcomes, [['1', { state: 'stored', todos: [done], tagged: answerOf(done).tagged }]]);
  assert.equal(await store.all(), []);
});

test('of two windows one sends, and the other shows the same', async () => {
  const { open, sent, answer, update } = newWorld();
  const first = open();
  const second = open(() => void first.load());
  first.run();
  await second.add(update('1', { status: 'done' }, todoOf('a')));
  await settle();
  assert.equal([idsOf(sent), idsOf(first.writes)], [['1'], ['1']]);
  await answer('1', answerOf(todoOf('a', { version: 2 })));
  await second.load();
  assert.equal([sent.length, second.writes], [1, []]);
});

test.run();
