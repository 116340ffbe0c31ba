import { mock } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import type { TandemEvent } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteWrite } from '../../web/src/api/answers.ts';
import { batchMs, Refresher, spacingMs } from '../../web/src/live/refresh.ts';

/* How often queries are read again as events come, on a clock that the tests set. */

const test = suite('reads that follow events');
const workspaceId = crypto.randomUUID();
let queryClient: QueryClient;
let refresher: Refresher;
let sequence = 0;

test.before.each(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  queryClient = new QueryClient();
  refresher = new Refresher(queryClient);
});
test.after.each(() => {
  refresher.close();
  queryClient.clear();
  mock.timers.reset();
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Lets time pass in steps in which what was started can end. */
async function pass(ms: number): Promise<void> {
  for (let step = 0; step < ms; step += 10) {
    mock.timers.tick(10);
    await settled();
  }
}

function event(more: Partial<TandemEvent> = {}): TandemEvent {
  const id = crypto.randomUUID();
  const data = { object: 'todo', id, parents: {}, changedFields: [], version: 1 };
  return { id, type: 'todo.updated', sequence: ++sequence, workspaceId, requestId: id, data, ...more } as TandemEvent;
}

interface Shown {
  /** Reads that began, and the number of the last event then. */
  reads: number[];
  query: ReturnType<QueryClient['getQueryCache']>['getAll'] extends () => (infer Query)[] ? Query : never;
  close(): void;
}

/** A query that is shown, whose reads take `ms`. */
async function shown(name: string, ms = 0): Promise<Shown> {
  const reads: number[] = [];
  const queryKey = ['todos', workspaceId, name];
  const queryFn = async () => {
    reads.push(sequence);
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    return sequence;
  };
  const close = new QueryObserver(queryClient, { queryKey, queryFn }).subscribe(() => {});
  await pass(ms + 10);
  assert.is(reads.length, 1);
  const query = queryClient.getQueryCache().find({ queryKey });
  if (!query) throw new Error('the query is not there');
  return { reads, query, close };
}

test('many events of one change are one read of each query that they concern', async () => {
  const [list, lists] = [await shown('list'), await shown('lists')];
  await pass(1_000);
  for (let place = 0; place < 40; place++) refresher.take([event()]);
  await pass(batchMs + 20);
  assert.equal([list.reads.length, lists.reads.length], [2, 2]);
  await pass(2_000);
  assert.equal([list.reads.length, lists.reads.length], [2, 2]);
});

test('in a storm a query is read about every 250 ms, then every second, and once more after the last event', async () => {
  const { reads } = await shown('list');
  await pass(1_000);
  const count = async (ms: number) => {
    const before = reads.length;
    for (let at = 0; at < ms; at += 20) {
      refresher.take([event()]);
      await pass(20);
    }
    return reads.length - before;
  };
  const first = await count(1_000);
  assert.ok(first >= 3 && first <= 1_000 / spacingMs + 1, String(first));
  await count(9_000);
  const later = await count(5_000);
  assert.ok(later >= 4 && later <= 6, String(later));
  await pass(2_000);
  assert.is(reads.at(-1), sequence);
});

test('a change every second is read at once, however many there are', async () => {
  const { reads } = await shown('list');
  for (let round = 0; round < 40; round++) {
    await pass(1_000);
    refresher.take([event()]);
    await pass(batchMs + 20);
    assert.is(reads.at(-1), sequence, `round ${round}`);
  }
});

test('an event that comes during a read is followed by another read, however long they take', async () => {
  const { reads } = await shown('list', 3_000);
  for (let at = 0; at < 12_000; at += 100) {
    refresher.take([event()]);
    await pass(100);
  }
  await pass(20_000);
  assert.is(reads.at(-1), sequence);
  assert.ok(reads.length >= 3 && reads.length <= 5, String(reads));
});

test('what this window wrote is not read twice, and what others wrote meanwhile is', async () => {
  const { reads, query } = await shown('list');
  await pass(1_000);
  const requestId = 'one request';
  const own = [event({ requestId }), event({ requestId })];
  noteWrite(own[1]?.id ?? null);
  await queryClient.invalidateQueries({ queryKey: query.queryKey });
  await pass(10);
  assert.is(reads.length, 2);
  refresher.take(own);
  await pass(1_000);
  assert.is(reads.length, 2);
  refresher.take([event()]);
  await pass(1_000);
  assert.is(reads.length, 3);
});

test('a read that began before the answer of a write does not count as one of it', async () => {
  const { reads } = await shown('list');
  await pass(1_000);
  const own = event();
  noteWrite(own.id);
  refresher.take([own]);
  await pass(1_000);
  assert.is(reads.length, 2);
});

test('what reads the log is read again for an own write, which may not have been in the log before', async () => {
  const { reads } = await shown('activity');
  await pass(1_000);
  const own = event();
  noteWrite(own.id);
  await queryClient.invalidateQueries({ queryKey: ['todos'] });
  await pass(10);
  assert.is(reads.length, 2);
  refresher.take([own]);
  await pass(1_000);
  assert.is(reads.length, 3);
});

test('a query that is not shown is stale, and read when it is shown again', async () => {
  const { reads, query, close } = await shown('list');
  close();
  refresher.take([event()]);
  await pass(1_000);
  assert.is(reads.length, 1);
  assert.ok(query.state.isInvalidated);
  refresher.takeAll();
  await pass(1_000);
  assert.is(reads.length, 1);
});

test('a read that is cancelled is begun anew where an event caused it', async () => {
  const { reads, query } = await shown('list', 500);
  await pass(3_000);
  refresher.take([event()]);
  await pass(batchMs + 20);
  assert.is(reads.length, 2);
  await queryClient.cancelQueries({ queryKey: query.queryKey });
  queryClient.setQueryData(query.queryKey, -1);
  await pass(5_000);
  assert.equal([reads.length, query.state.data], [3, sequence]);
});

test('what is put into a query by hand does not replace the read that an event asks for', async () => {
  const { reads, query, close } = await shown('list', 500);
  refresher.take([event()]);
  await pass(batchMs + 20);
  // Its last read is too close for the next one.
  assert.is(reads.length, 1);
  queryClient.setQueryData(query.queryKey, -1);
  await pass(5_000);
  assert.equal([reads.length, query.state.data], [2, sequence]);
  close();
  refresher.take([event()]);
  await pass(1_000);
  queryClient.setQueryData(query.queryKey, -1);
  assert.ok(query.state.isInvalidated, 'it is read when it is shown again');
});

test('everything is read again once when events were missed', async () => {
  const list = await shown('list');
  await pass(1_000);
  refresher.takeAll();
  await pass(2_000);
  assert.is(list.reads.length, 2);
});

test.run();
