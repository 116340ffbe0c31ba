import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Problem } from '../../web/src/api/problem.ts';
import { createOutbox, type Outgoing } from '../../web/src/chats/outbox.ts';
import { until } from '../support/until.ts';

const test = suite('messages of a person on their way');

type Answer = number | Promise<number> | Partial<Problem>;

/** An outbox whose service answers as the test says; what it stores outlives it. */
function newWorld() {
  const stored: { all: Outgoing[] | undefined } = { all: undefined };
  const sent: [text: string, key: string][] = [];
  const answers: Answer[] = [];
  /** The time in ms, which each pause moves on, and where the pauses ended. */
  let now = 0;
  const pauses: number[] = [];
  let held = Promise.withResolvers<void>();
  held.resolve();
  let keys = 0;
  let busy = 0;
  const person = { isThere: true };
  const open = () =>
    createOutbox({
      load: () => structuredClone(stored.all),
      store: (all) => {
        stored.all = structuredClone(all);
      },
      newKey: () => `key-${++keys}`,
      send: async (text, key) => {
        sent.push([text, key]);
        const answer = answers.shift() ?? new Promise<never>(() => {});
        if (typeof answer === 'object' && !(answer instanceof Promise)) throw answer;
        return answer;
      },
      problemOf: (error) => ({
        status: 500,
        code: 'x',
        message: 'No.',
        retryable: false,
        errors: [],
        ...(error as object),
      }),
      now: () => now,
      pause: async (ms) => {
        await held.promise;
        now += ms;
        pauses.push(ms);
      },
      isOwn: () => person.isThere,
      onBusy: () => busy++,
    });
  /** Pauses last until the test says so. */
  const hold = () => {
    held = Promise.withResolvers();
    return held.resolve;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { open, stored, sent, answers, pauses, hold, pass, person, busy: () => busy };
}

const working = { isWorking: true, hasEnded: false };
const completed = { isWorking: false, hasEnded: true };
const stopped = { isWorking: false, hasEnded: false };

test('a message is sent at once while the agent rests, and kept until it is received', async () => {
  const { open, stored, sent, answers } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  answers.push(7);
  outbox.add('Hello', true);
  await until(() => outbox.view()[0]?.state === 'sent');
  assert.equal([sent, stored.all], [[['Hello', 'key-1']], undefined]);
  outbox.received(6);
  assert.is(outbox.view().length, 1);
  outbox.received(7);
  assert.equal(outbox.view(), []);
});

test('a message that is received before the service answers is not kept, and holds no other one up', async () => {
  const { open, sent, answers } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  const answer = Promise.withResolvers<number>();
  answers.push(answer.promise);
  outbox.add('Hello', true);
  outbox.received(7);
  outbox.add('And then?', true);
  assert.is(sent.length, 1);
  answer.resolve(7);
  await until(() => sent.length === 2);
  assert.equal(
    outbox.view().map(({ text, state }) => [text, state]),
    [['And then?', 'sending']],
  );
});

test('what is written during a turn waits for its end, one after the other, each once', async () => {
  const { open, sent, answers } = newWorld();
  const outbox = open();
  outbox.turnIs(working);
  outbox.add('One', false);
  outbox.add('Two', false);
  assert.equal(sent, []);
  answers.push(3);
  outbox.turnIs(completed);
  outbox.turnIs(completed);
  await until(() => outbox.view()[0]?.state === 'sent');
  outbox.turnIs(working);
  outbox.received(3);
  assert.is(sent.length, 1);
  answers.push(9);
  outbox.turnIs(completed);
  await until(() => outbox.view()[0]?.state === 'sent');
  assert.equal(sent, [
    ['One', 'key-1'],
    ['Two', 'key-2'],
  ]);
});

test('after a stop, or where a person has to decide, it waits until it is released; a new one need not', async () => {
  const { open, sent, answers } = newWorld();
  const outbox = open();
  outbox.turnIs(working);
  outbox.add('Held', false);
  outbox.turnIs(stopped);
  assert.equal(sent, []);
  answers.push(4);
  outbox.add('Direct', true);
  await until(() => outbox.view()[1]?.state === 'sent');
  outbox.received(4);
  answers.push(6);
  outbox.release(outbox.view()[0]?.key ?? '');
  await until(() => outbox.view()[0]?.state === 'sent');
  assert.equal(sent, [
    ['Direct', 'key-2'],
    ['Held', 'key-1'],
  ]);
});

test('lost answers are asked for again with the same key, also by the next page', async () => {
  const { open, stored, sent, answers } = newWorld();
  const first = open();
  first.turnIs(completed);
  answers.push({ status: 0, retryable: true });
  first.add('Hello', true);
  await until(() => sent.length === 2);
  assert.is(stored.all?.[0]?.state, 'sending');
  assert.is(first.withdraw('key-1'), undefined, 'it may have been sent');
  answers.push(5);
  const second = open();
  second.turnIs(working);
  await until(() => second.view()[0]?.state === 'sent');
  assert.equal(new Set(sent.map(([, key]) => key)), new Set(['key-1']));
  assert.is(stored.all, undefined);
});

test('a message whose answer was lost a day ago is not sent again by itself: the service no longer knows its key', async () => {
  const { open, sent, answers, pass } = newWorld();
  const first = open();
  first.turnIs(completed);
  answers.push({ status: 0, retryable: true });
  first.add('Hello', true);
  await until(() => sent.length === 2);
  pass(24 * 60 * 60_000);
  const second = open();
  second.turnIs(completed);
  const [refused] = second.view();
  assert.equal([sent.length, refused?.state], [2, 'refused']);
  assert.match(refused?.problem ?? '', 'more than a day ago');
  answers.push(5);
  second.release('key-1');
  await until(() => second.view()[0]?.state === 'sent');
  assert.is(sent.length, 3);
});

const limited = { status: 429, retryable: true, retryAfterSeconds: 20, message: 'Too many requests.' };

test('a message that is refused with 429 is sent again after the time that the service asks for', async () => {
  const { open, sent, answers, pauses } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  answers.push(limited, limited, 7);
  outbox.add('Hello', true);
  await until(() => outbox.view()[0]?.state === 'sent');
  assert.equal(new Set(sent.map(([, key]) => key)), new Set(['key-1']));
  assert.equal(pauses, [21_000, 22_000]);
});

test('until then its text can be taken back, and nobody shortens the time', async () => {
  const { open, sent, answers, pauses, hold } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  const go = hold();
  answers.push(limited);
  outbox.add('Hello', true);
  await until(() => outbox.view()[0]?.problem === 'Too many requests.');
  assert.equal([outbox.view()[0]?.state, outbox.view()[0]?.retryAt], ['waiting', 21_000]);
  outbox.release('key-1');
  outbox.turnIs(completed);
  assert.is(outbox.withdraw('key-1'), 'Hello');
  go();
  await until(() => pauses.length === 1);
  assert.equal([sent.length, outbox.view()], [1, []]);
});

test('the next page waits as long, and one that lost an answer before does not give the text back', async () => {
  const { open, answers, pauses, hold } = newWorld();
  const first = open();
  first.turnIs(completed);
  let go = hold();
  answers.push({ status: 0, retryable: true }, limited);
  first.add('Hello', true);
  await until(() => first.view()[0]?.problem === 'No.');
  go();
  go = hold();
  await until(() => first.view()[0]?.retryAt !== null);
  assert.is(first.withdraw('key-1'), undefined, 'it may have been sent');
  const asked = first.view()[0]?.retryAt ?? 0;
  answers.push(4, 4);
  const second = open();
  second.turnIs(completed);
  go();
  await until(() => second.view()[0]?.state === 'sent');
  assert.is(pauses.at(-1), asked - 1_000);
});

test('a turn that this page did not know of queues the message, and any other refusal is shown', async () => {
  const { open, sent, answers, busy } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  answers.push({ status: 409, reason: 'agent_mid_turn', retryable: false });
  outbox.add('Hello', true);
  await until(() => outbox.view()[0]?.state === 'waiting');
  assert.equal([busy(), sent.length], [1, 1]);
  answers.push({ status: 402, message: 'No agent minutes are left.' });
  outbox.turnIs(completed);
  await until(() => outbox.view()[0]?.state === 'refused');
  assert.is(outbox.view()[0]?.problem, 'No agent minutes are left.');
  assert.is(outbox.withdraw('key-1'), 'Hello');
  assert.equal(outbox.view(), []);
});

test('nothing is sent once the window acts for somebody else, also not what was to be repeated', async () => {
  const { open, sent, answers, pauses, hold, person } = newWorld();
  const outbox = open();
  outbox.turnIs(completed);
  const go = hold();
  answers.push({ status: 0, retryable: true }, 7, 8);
  outbox.add('Lost', true);
  outbox.add('Next', true);
  await until(() => outbox.view()[0]?.problem === 'No.');
  person.isThere = false;
  go();
  await until(() => pauses.length === 1);
  outbox.turnIs(completed);
  assert.equal(sent, [['Lost', 'key-1']]);
  person.isThere = true;
  outbox.turnIs(completed);
  await until(() => outbox.view()[0]?.state === 'sent');
  assert.equal(sent[1], ['Lost', 'key-1']);
});

test.run();
