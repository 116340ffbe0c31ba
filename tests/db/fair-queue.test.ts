import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FairQueue, QueueFull, type QueueLimits } from '../../db/fair-queue.ts';

const test = suite('fair queue');

/** A queue whose works end when the test says so; `events` has what began and what was refused. */
function world(limits: QueueLimits) {
  const queue = new FairQueue(limits);
  const ends = new Map<string, () => void>();
  const events: string[] = [];
  const add = (key: string, name: string) =>
    queue
      .run(key, () => {
        events.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      })
      .catch((error) => {
        assert.instance(error, QueueFull);
        events.push(`${name} refused`);
      });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { queue, add, end, events, turn };
}

test('keys take turns, however much one of them has', async () => {
  const { queue, add, end, events, turn } = world({ maxRunning: 1, maxWaiting: 10, maxWaitingPerKey: 4 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name);
  void add('b', 'b1');
  void add('c', 'c1');
  void add('b', 'b2');
  await turn();
  for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) await end(name);
  assert.equal(events, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.equal(queue.size, { running: 0, waiting: 0 });
});

test('never more run than allowed, and one key that has all its places is refused at once', async () => {
  const { queue, add, end, events, turn } = world({ maxRunning: 2, maxWaiting: 10, maxWaitingPerKey: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) void add('a', name);
  void add('b', 'b1');
  await turn();
  assert.equal(events, ['a1', 'a2', 'a5 refused', 'a6 refused']);
  assert.equal(queue.size, { running: 2, waiting: 3 });
  for (const name of ['a2', 'a1', 'a3', 'b1', 'a4']) await end(name);
  assert.equal(events.slice(4), ['a3', 'b1', 'a4']);
  assert.equal(queue.size, { running: 0, waiting: 0 });
});

test('in a full queue a newcomer takes the newest place of whoever has the most; among equals it is refused', async () => {
  const { queue, add, end, events, turn } = world({ maxRunning: 1, maxWaiting: 3, maxWaitingPerKey: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void add('a', name);
  for (const key of ['b', 'c', 'd']) void add(key, `${key}1`);
  await turn();
  assert.equal(events.toSorted(), ['a1', 'a3 refused', 'a4 refused', 'd1 refused']);
  assert.equal(queue.size, { running: 1, waiting: 3 });
  for (const name of ['a1', 'a2', 'b1', 'c1']) await end(name);
  assert.equal(events.slice(4), ['a2', 'b1', 'c1']);
  assert.equal(queue.size, { running: 0, waiting: 0 });
});

test('a work that fails passes its place on, and its failure to whoever asked', async () => {
  const queue = new FairQueue({ maxRunning: 1, maxWaiting: 1, maxWaitingPerKey: 1 });
  const failing = queue.run('a', () => Promise.reject(new Error('broken')));
  const next = queue.run('a', async () => 'done');
  const message = await failing.catch((error: Error) => error.message);
  assert.equal([message, await next], ['broken', 'done']);
  assert.equal(queue.size, { running: 0, waiting: 0 });
});

test.run();
