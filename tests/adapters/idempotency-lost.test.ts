import type { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until } from '../support/until.ts';

const test = suite('Idempotency-Key when the connection to the database is lost');
const unwatch = surviveLostConnections({ warn: () => {} });
let passage: Passage;
let db: Database;
let tandem: TestService;

test.before(async () => {
  passage = await openPassage(testDatabaseUrl());
  db = connect(passage.url, { poolSize: 8 });
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { db });
});
test.after(async () => {
  unwatch();
  await passage.close();
  await db.close(1);
  await tandem.close();
});

const key = 'a-key-of-this-test';
/** What only the statement that stores the answer contains. */
const answer = '"object":"todo_list"';

/** What is sent last, in one piece with what is before it, or in two; and whether that arrives. */
const losses: [when: string, texts: string[], isPassed: boolean, isMade: boolean][] = [
  ['before the claim', [key], false, false],
  ['after the claim', [key], true, false],
  ['before the answer is stored', [answer], false, false],
  ['before the COMMIT is answered', [answer, 'commit'], true, true],
];

for (const [when, texts, isPassed, isMade] of losses) {
  test(`${when}: the retry ${isMade ? 'gets the first answer' : 'does the work'}, and it is done once`, async () => {
    const { call } = await tandem.workspace();
    const create = (name: string, idempotencyKey: string) =>
      call('POST /todo-lists', { name }, { headers: { 'idempotency-key': idempotencyKey } });
    const lose = ([text = '', ...later]: string[], on?: Socket) => {
      const act = (chunk: Buffer, client: Socket) => {
        const left = later.filter((each) => !chunk.includes(each));
        if (left.length > 0) {
          lose(left, client);
          return chunk;
        }
        queueMicrotask(() => passage.stall());
        setTimeout(() => passage.cut(), 100);
        return isPassed ? chunk : undefined;
      };
      passage.meet(text, act, on);
    };
    lose(texts);
    const lost = await create('Errands', key);
    assert.is(lost.status, 503, lost.text);
    await passage.mend();
    await until(async () => (await call('GET /todo-lists')).status === 200);
    const again = await create('Errands', key);
    assert.is(again.status, 201, again.text);
    assert.is(again.headers.has('idempotency-replayed'), isMade);
    const { body } = await call('GET /todo-lists');
    assert.is(body.data.filter(({ name }: { name: string }) => name === 'Errands').length, 1);
  });
}

for (const isPassed of [false, true]) {
  test(`in the statement that creates a todo, which ${isPassed ? 'has arrived' : 'is lost'}: it is created once`, async () => {
    const { call } = await tandem.workspace();
    const create = () => call('POST /todos', { title: 'Once' }, { headers: { 'idempotency-key': key } });
    passage.meet(key, (chunk) => {
      queueMicrotask(() => passage.stall());
      setTimeout(() => passage.cut(), 100);
      return isPassed ? chunk : undefined;
    });
    const lost = await create();
    assert.is(lost.status, 503, lost.text);
    await passage.mend();
    await until(async () => (await call('GET /todos')).status === 200);
    const again = await create();
    assert.is(again.status, 201, again.text);
    // Through the coordinator of Citus it is several statements, of which one has arrived: the retry makes it.
    const isMade = isPassed && tandem.db.engine === 'postgres';
    assert.is(again.headers.has('idempotency-replayed'), isMade);
    assert.is((await call('GET /todos')).body.data.length, 1);
  });
}

test.run();
