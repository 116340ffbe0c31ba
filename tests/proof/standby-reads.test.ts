import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../../domain/scopes.ts';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { untilAnswer } from '../support/scripted-engine.ts';
import { type StandbyCluster, startStandbyCluster } from '../support/standby-cluster.ts';
import { until } from '../support/until.ts';

/*
 * A primary and its streaming standby, which is paused, silenced, killed and promoted. What a standby answers has
 * `Age`.
 */

const test = suite('reads from a standby');
const onPostgres = notOnCluster(test, 'reads from a standby are not supported there');

let cluster: StandbyCluster;
let passage: Passage;
let tandem: TestService;
let own: TestWorkspace;

test.before(async () => {
  cluster = await startStandbyCluster();
  passage = await openPassage(cluster.standbyUrl);
  tandem = await startTestService({
    DATABASE_URL: cluster.url,
    DATABASE_READ_URL: passage.url,
    AGENT_CONCURRENCY: '0',
    RATE_LIMIT_PER_KEY: '1000000',
  });
  own = await tandem.workspace();
});
test.after(async () => {
  await tandem.close();
  await passage.close();
  await cluster.remove();
});

const stale = (seconds: number | string) => ({ headers: { 'cache-control': `max-stale=${seconds}` } });
const accepting = (route: string, seconds: number | string = 600) => own.call(route, undefined, stale(seconds));
const isFromStandby = ({ headers }: { headers: Headers }) => headers.has('age');
/** Its answer: one that was slow for a moment is not read from until it is asked again. */
const fromStandby = (route: string) => untilAnswer(() => accepting(route), isFromStandby);
const inUse = () => fromStandby('GET /todos');
const create = async (title: string) => (await own.call('POST /todos', { title })).body.id as string;

async function readiness(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${tandem.url}/readyz`);
  return { status: response.status, body: await response.json() };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** While the standby applies nothing. */
async function paused(work: () => Promise<void>): Promise<void> {
  await inUse();
  await cluster.standby`select pg_wal_replay_pause()`;
  await until(async () => {
    const [row] = await cluster.standby`select pg_get_wal_replay_pause_state() as state`;
    return row?.state === 'paused';
  });
  try {
    await work();
  } finally {
    await cluster.standby`select pg_wal_replay_resume()`;
  }
}

onPostgres(
  'a list, a resource, a summary and a search are answered by the standby where the request accepts their age',
  async () => {
    const id = await create('Water the plants');
    await inUse();
    assert.equal(await readiness(), { status: 200, body: { status: 'ok', standby: 'ok' } });
    const lists = 'todos todo-lists labels views runs chats agents skills captures captures/tags approvals'.split(' ');
    const paths = [`todos/${id}`, `todos/${id}/comments`, `todos/${id}/runs`, 'todos/summary', 'todos?query=plants'];
    for (const route of [...lists, ...paths].map((path) => `GET /${path}`)) {
      const same = async () => (await accepting(route)).text === (await own.call(route)).text;
      await until(same, () => `${route} answers the same`);
      const answer = await fromStandby(route);
      assert.is(answer.status, 200, `${route} ${answer.text}`);
      assert.match(answer.headers.get('age') ?? '', /^\d+$/, route);
      assert.match(answer.headers.get('tandem-sequence') ?? '', /^\d+$/, route);
    }
    assert.is(await metric('tandem_standby_up'), 1);
    assert.ok((await metric('tandem_standby_answers_total')) >= 5);
  },
);

onPostgres(
  'a standby that is behind answers only who accepts that age, with the position that its data has',
  async () => {
    const id = await create('Old title');
    await fromStandby(`GET /todos/${id}`);
    await paused(async () => {
      const changed = await own.call(`PATCH /todos/${id}`, { title: 'New title' });
      assert.is(changed.status, 200);
      const old = await fromStandby(`GET /todos/${id}`);
      assert.is(old.body.title, 'Old title');
      const now = await own.call(`GET /todos/${id}`);
      assert.equal([now.body.title, isFromStandby(now)], ['New title', false]);
      const position = (answer: { headers: Headers }) => Number(answer.headers.get('tandem-sequence'));
      await until(async () => position(await own.call('GET /todos')) > position(old));
      assert.ok(position(await fromStandby('GET /todos')) <= position(old), 'nothing newer than the data');
      await until(async () => !isFromStandby(await accepting(`GET /todos/${id}`, 2)));
      assert.is((await accepting(`GET /todos/${id}`, 2)).body.title, 'New title');
      const aged = await fromStandby(`GET /todos/${id}`);
      assert.ok(Number(aged.headers.get('age')) >= 2, 'its age is what it says');
    });
    await until(async () => (await accepting(`GET /todos/${id}`)).body.title === 'New title');
  },
);

onPostgres('what the standby does not have yet is read from the primary', async () => {
  await paused(async () => {
    const id = await create('Newer than the standby');
    const found = await accepting(`GET /todos/${id}`);
    assert.equal([found.status, found.body.title, isFromStandby(found)], [200, 'Newer than the standby', false]);
    const missing = await accepting(`GET /todos/${crypto.randomUUID()}`);
    assert.equal([missing.status, isFromStandby(missing)], [404, false]);
  });
});

onPostgres('a cursor of one goes on at the other', async () => {
  for (const title of ['One', 'Two', 'Three']) await create(title);
  await until(async () => (await accepting('GET /todos')).text === (await own.call('GET /todos')).text);
  const page = await fromStandby('GET /todos?limit=1');
  const next = `GET /todos?limit=1&cursor=${encodeURIComponent(page.body.nextCursor)}`;
  const [plain, again] = [await own.call(next), await fromStandby(next)];
  assert.equal([plain.status, isFromStandby(plain)], [200, false]);
  assert.is(plain.text, again.text);
  assert.is.not(plain.body.data[0].id, page.body.data[0].id);
});

onPostgres('a key that was revoked is refused at once, whatever the standby has', async () => {
  const key = await own.mint(scopes);
  await until(async () => isFromStandby(await own.call('GET /todos', undefined, { key, ...stale(600) })));
  await paused(async () => {
    const newest = 'select id from credentials where workspace_id = $1 order by created_at desc, id desc limit 1';
    const revoke = `delete from credentials where workspace_id = $1 and id in (${newest})`;
    await tandem.db.rows(revoke, [own.workspaceId]);
    const refused = await own.call('GET /todos', undefined, { key, ...stale(600) });
    assert.equal([refused.status, isFromStandby(refused)], [401, false]);
  });
});

onPostgres(
  'members, credentials, the log and changes are the primary’s, and so is what asks for fresh data',
  async () => {
    await inUse();
    const session = await own.session();
    const primarys = [
      'GET /me',
      'GET /api-keys/scopes',
      `GET /workspaces/${own.workspaceId}/members`,
      'GET /events',
      'GET /usage',
    ];
    for (const route of primarys) {
      const answer = await own.call(route, undefined, { key: session, ...stale(600) });
      assert.equal([answer.status, isFromStandby(answer)], [200, false], route);
    }
    for (const cacheControl of ['no-cache, max-stale=600', 'max-stale=0', 'max-age=600', 'max-stale=soon']) {
      const answer = await own.call('GET /todos', undefined, { headers: { 'cache-control': cacheControl } });
      assert.equal([answer.status, isFromStandby(answer)], [200, false], cacheControl);
    }
    const created = await own.call('POST /todos', { title: 'Change' }, stale(600));
    assert.equal([created.status, isFromStandby(created)], [201, false]);
  },
);

onPostgres('a process that started after what the standby has does not read from it', async () => {
  await paused(async () => {
    const second = await startTestService({
      DATABASE_URL: cluster.url,
      DATABASE_READ_URL: cluster.standbyUrl,
      AGENT_CONCURRENCY: '0',
    });
    try {
      const ready = async () => (await (await fetch(`${second.url}/readyz`)).json()) as { standby: string };
      await until(async () => (await ready()).standby === 'behind');
      const answer = await second.call('GET /todos', undefined, { key: own.key, ...stale('600') });
      assert.equal([answer.status, isFromStandby(answer)], [200, false]);
    } finally {
      await second.close();
    }
  });
});

onPostgres('a standby that goes silent delays a read by little, and is read from again once it answers', async () => {
  await inUse();
  passage.stall();
  const answers = await Promise.all(Array.from({ length: 20 }, () => accepting('GET /todos')));
  for (const answer of answers) assert.equal([answer.status, isFromStandby(answer)], [200, false]);
  await until(async () => (await metric('tandem_standby_up')) === 0);
  assert.equal(await readiness(), { status: 200, body: { status: 'ok', standby: 'unreachable' } });
  const took = { plain: 0, accepting: 0 };
  const reads = { plain: () => own.call('GET /todos'), accepting: () => accepting('GET /todos') };
  for (let count = 0; count < 20; count++) {
    for (const kind of ['plain', 'accepting'] as const) {
      const begun = performance.now();
      assert.not.ok(isFromStandby(await reads[kind]()));
      took[kind] += performance.now() - begun;
    }
  }
  // A machine that is busy makes both slow; asking it would take a second each time.
  const isNotAsked = took.accepting < 2 * took.plain + 5000;
  assert.ok(isNotAsked, `known to be silent, it is not asked: ${JSON.stringify(took)}`);
  await passage.cut();
  await passage.mend();
  await inUse();
});

onPostgres('while the standby is killed under load no read fails, and it is read from again once it runs', async () => {
  await inUse();
  let isOver = false;
  const failed: number[] = [];
  const load = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const { status } = await accepting('GET /todos?limit=5');
      if (status !== 200) failed.push(status);
    }
  });
  await cluster.killStandby();
  await until(async () => (await metric('tandem_standby_up')) === 0);
  assert.not.ok(isFromStandby(await accepting('GET /todos')));
  await cluster.startStandby();
  await inUse();
  isOver = true;
  await Promise.all(load);
  assert.equal(failed, []);
});

onPostgres('a standby that was promoted is not read from', async () => {
  await inUse();
  await cluster.promote();
  await until(async () => ((await readiness()).body as { standby?: string }).standby === 'not a standby');
  const answer = await accepting('GET /todos');
  assert.equal([answer.status, isFromStandby(answer)], [200, false]);
});

test.run();
