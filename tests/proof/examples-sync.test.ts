import { DatabaseSync } from 'node:sqlite';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { type Ended, type Fate, runExample, startExample, type Way, wayTo } from '../support/example-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { temporaryDirectory } from '../support/people.ts';
import { setColumns, walk } from '../support/todo-fixtures.ts';
import { pickOf, randomOf } from '../support/todo-oracle.ts';
import { bodyOf, endOfRun } from '../support/work-fixtures.ts';

const test = suite('the example that copies todos');
const directory = temporaryDirectory();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(async () => {
  await tandem.close();
  directory.remove();
});

/** A copy of a workspace, and what brings it up to date. */
function copyOf({ key, call }: TestWorkspace, url = tandem.url) {
  const file = `${directory.path}/${crypto.randomUUID()}.sqlite`;
  const environment = (pageSize: number) => ({
    TANDEM_URL: url,
    TANDEM_API_KEY: key,
    PAGE_SIZE: String(pageSize),
    OVERLAP: '0',
  });
  const args = (pageSize: number): Parameters<typeof runExample> => ['sync-todos.ts', [file], environment(pageSize)];
  const todos = () => {
    const db = new DatabaseSync(file, { readOnly: true });
    const rows = db.prepare('select body from todos order by id').all() as { body: string }[];
    db.close();
    return rows.map(({ body }) => JSON.parse(body) as TodoAnswer);
  };
  /** How many todos a run read, once it ended well. */
  const readBy = ({ code, stdout, stderr }: Ended): number => {
    assert.is(code, 0, stderr);
    return Number(/^(\d+) read/.exec(stdout)?.[1]);
  };
  return {
    run: async (pageSize = 100) => readBy(await runExample(...args(pageSize))),
    start: (pageSize = 100) => startExample(...args(pageSize)),
    /** Asserts that the copy is what the service has. */
    equals: async (message: string) => {
      const all = [...(await walk(call, { limit: 100 })), ...(await walk(call, { limit: 100, includeArchived: true }))];
      all.sort((a, b) => (a.id < b.id ? -1 : 1));
      assert.equal(todos(), all, message);
    },
  };
}

test('what changed in the same instant is copied whole, and then only what changes', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const data = Array.from({ length: 30 }, (_, n) => ({ title: `Todo ${n}` }));
  const { data: made } = bodyOf(await call('POST /todos/batch', { data }));
  bodyOf(await call('POST /todos/bulk', { ids: made.slice(0, 10).map(({ id }: TodoAnswer) => id), archive: true }));
  await tandem.db.rows(`update todos set updated_at = now() - interval '1 hour' where workspace_id = $1`, [
    workspaceId,
  ]);
  const copy = copyOf(workspace);
  assert.is(await copy.run(7), 30);
  await copy.equals('all of them');
  assert.is(await copy.run(7), 0);
  const [, second, , , , , , , , , , last] = made;
  bodyOf(await call(`PATCH /todos/${last.id}`, { status: 'done' }));
  bodyOf(await call(`POST /todos/${second.id}/restore`));
  assert.is(await copy.run(7), 2);
  await copy.equals('with the changes');
  const [third] = made.slice(15);
  bodyOf(await call(`POST /todos/${third.id}/runs`, { message: 'List what is due' }), 202);
  await copy.run(7);
  await endOfRun(workspace, third.id);
  await copy.run(7);
  await copy.equals('with the run that ended');
});

test('todos that are erased, and suggestions that come and go, leave no trace', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const data = Array.from({ length: 6 }, (_, n) => ({ title: `Todo ${n}` }));
  const { data: made } = bodyOf(await call('POST /todos/batch', { data }));
  const [first, second, third] = made.map(({ id }: TodoAnswer) => id);
  await setColumns(tandem, third, { is_suggested: true, source: 'auto_suggested' });
  const copy = copyOf(workspace);
  await copy.run(2);
  await copy.equals('without the suggestion');
  bodyOf(await call(`DELETE /todos/${first}?permanent=true`));
  bodyOf(await call(`DELETE /todos/${second}`));
  bodyOf(await call(`DELETE /todos/${third}`));
  await copy.run(2);
  await copy.equals('without the erased one, with the dismissed one');
  bodyOf(await call(`DELETE /todos/${second}?permanent=true`));
  bodyOf(await call(`POST /todos/${third}/restore`));
  await copy.run(2);
  await copy.equals('a suggestion again');
  bodyOf(await call(`PATCH /todos/${third}`, { isSuggested: false }));
  await copy.run(2);
  await copy.equals('accepted');
});

/** A change of the world that a random number decides. */
function changer({ call }: TestWorkspace, random: () => number) {
  const pick = pickOf(random);
  const ids: string[] = [];
  const one = () => pick(ids);
  const some = () => ids.filter(() => random() < 0.3).slice(0, 100);
  const create = async () => {
    const data = Array.from({ length: 1 + Math.floor(random() * 6) }, () => ({ title: `Todo ${random()}` }));
    for (const { id } of bodyOf(await call('POST /todos/batch', { data })).data) ids.push(id);
  };
  const erase = async () => {
    const [id] = ids.splice(Math.floor(random() * ids.length), 1);
    bodyOf(await call(`DELETE /todos/${id}?permanent=true`));
  };
  const changes = [
    create,
    create,
    erase,
    async () => bodyOf(await call(`PATCH /todos/${one()}`, { title: `Todo ${random()}`, dueDate: '2027-01-15' })),
    async () => bodyOf(await call(`PATCH /todos/${one()}`, { status: pick(['ready', 'done']) })),
    async () => bodyOf(await call(`DELETE /todos/${one()}`)),
    async () => bodyOf(await call(`POST /todos/${one()}/restore`)),
    async () => bodyOf(await call('POST /todos/bulk', { ids: [one(), ...some()], archive: true })),
    async () => bodyOf(await call('POST /todos/bulk', { ids: [one(), ...some()], patch: { priority: 'high' } })),
  ];
  return () => (ids.length < 5 ? create() : pick(changes)());
}

test('200 random changes, between the runs and within them, with killed runs and broken connections: the copy is right', async () => {
  const seed = Math.floor(Math.random() * 1e9);
  const random = randomOf(seed);
  const workspace = await tandem.workspace();
  const change = changer(workspace, random);
  let changes = 0;
  const changeOnce = async () => {
    await change();
    changes++;
  };
  let isCalm = true;
  let killAt = 0;
  let victim: ReturnType<ReturnType<typeof copyOf>['start']> | undefined;
  const fateOf = async (): Promise<Fate> => {
    if (isCalm) return 'pass';
    if (random() < 0.4) await changeOnce();
    if (--killAt === 0) victim?.process.kill('SIGKILL');
    return random() < 0.03 ? 'break' : random() < 0.05 ? 'busy' : 'pass';
  };
  const way: Way = await wayTo(tandem.url, fateOf);
  try {
    const copy = copyOf(workspace, way.url);
    for (let round = 0; changes < 200; round++) {
      for (let n = Math.floor(random() * 40); n >= 0; n--) await changeOnce();
      isCalm = false;
      // A run asks at least five times.
      const isKilled = round % 2 === 0;
      killAt = isKilled ? 1 + Math.floor(random() * 5) : 0;
      const pageSize = 3 + Math.floor(random() * 15);
      victim = copy.start(pageSize);
      const { code, stderr } = await victim.ended;
      isCalm = true;
      assert.equal(
        [code, victim.process.signalCode],
        isKilled ? [null, 'SIGKILL'] : [0, null],
        `seed ${seed}: ${stderr}`,
      );
      await copy.run(pageSize);
      await copy.equals(`seed ${seed}, after ${changes} changes`);
    }
  } finally {
    await way.close();
  }
});

test.run();
