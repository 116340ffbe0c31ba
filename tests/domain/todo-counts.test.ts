import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buffersOf, type PlanNode } from '../../bench/harness/plans.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../../domain/context.ts';
import { findTodoLists } from '../../domain/todo-lists/rows.ts';
import { countWorkspace, foldCounts } from '../../domain/todos/counts.ts';
import { summariseTodos } from '../../domain/todos/summary.ts';
import { keepCounts } from '../../server/todo-counts.ts';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { countsAdded } from '../support/todo-fixtures.ts';
import { pickOf, randomOf } from '../support/todo-oracle.ts';

/* The numbers of todos that are kept are those that a count finds, in every snapshot. */

const test = suite('numbers of todos');
const onPostgres = notOnCluster(test, 'numbers of todos are not kept there');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

interface World {
  workspaceId: string;
  lists: string[];
}

async function newWorld(): Promise<World> {
  const { workspaceId, call } = await tandem.workspace();
  const lists: string[] = [(await call('GET /todo-lists')).body.data[0].id];
  for (const name of ['Garden', 'Office']) lists.push((await call('POST /todo-lists', { name })).body.id);
  return { workspaceId, lists };
}

const summed = (rows: readonly { count: number }[]) => rows.reduce((sum, { count }) => sum + count, 0);
const plainly = `select status, priority, todo_list_id as "listId", count(*)::int as count,
    coalesce(sum(minutes_saved) filter (where status = 'done'), 0)::int as minutes
  from todos where workspace_id = $1 and archived_at is null and not is_suggested group by 1, 2, 3`;

interface Counted {
  status: 'ready' | 'in_progress' | 'done';
  priority: number | null;
  listId: string;
  count: number;
  minutes: number;
}

/** Compares the summaries of filters and the lists with a count, in one snapshot. */
async function compare({ workspaceId, lists }: World): Promise<void> {
  await tandem.db.transaction(async (tx) => {
    await tx.rows('set transaction isolation level repeatable read', []);
    const all = await tx.rows<Counted>(plainly, [workspaceId]);
    const ctx = { db: tx, principal: { workspaceId } } as Context;
    const [list = ''] = lists;
    const high = (each: Counted) => each.priority === 3 || each.priority === null;
    const filters: [object, (each: Counted) => boolean][] = [
      [{}, () => true],
      [{ status: 'active' }, ({ status }) => status !== 'done'],
      [{ status: 'done', priority: ['high', 'none'] }, (each) => each.status === 'done' && high(each)],
      [{ todoListId: list }, ({ listId }) => listId === list],
      [
        { todoListId: lists.slice(0, 2), status: 'ready' },
        (each) => each.listId !== lists[2] && each.status === 'ready',
      ],
    ];
    for (const [filter, holds] of filters) {
      const { total, byStatus, byPriority, minutesSaved } = await summariseTodos(ctx, filter);
      const found = all.filter(holds);
      const of = (matches: (each: Counted) => boolean) => summed(found.filter(matches));
      const meant = {
        total: summed(found),
        done: of(({ status }) => status === 'done'),
        high: of(({ priority }) => priority === 3),
        none: of(({ priority }) => priority === null),
        minutesSaved: found.reduce((sum, { minutes }) => sum + minutes, 0),
      };
      const { done } = byStatus;
      const { high, none } = byPriority;
      assert.equal({ total, done, high, none, minutesSaved }, meant, JSON.stringify(filter));
    }
    const counts = (await findTodoLists(tx, workspaceId, true)).map((each) => [
      each.id,
      each.todoCount,
      each.activeTodoCount,
    ]);
    const of = (id: string, isActive: boolean) =>
      summed(all.filter(({ listId, status }) => listId === id && !(isActive && status === 'done')));
    assert.equal(counts.sort(), lists.map((id) => [id, of(id, false), of(id, true)]).sort());
  });
}

const someTodos = `select id from todos where workspace_id = $1 order by md5(id::text || $2) limit 3`;
const insert = `insert into todos (workspace_id, id, title, todo_list_id, status, priority, is_suggested, minutes_saved)
  select $1, gen_random_uuid(), 'a', $2, $3, $4, $5, $6 from generate_series(1, $7::int)`;
const columns = [
  'status',
  'priority',
  'todo_list_id',
  'minutes_saved',
  'archived_at',
  'is_suggested',
  'title',
] as const;

/** One random statement. */
async function change(db: Db, { workspaceId, lists }: World, random: () => number): Promise<void> {
  const pick = pickOf(random);
  const values = {
    status: pick(['ready', 'in_progress', 'done']),
    priority: pick([null, 1, 2, 3, 4]),
    todo_list_id: pick(lists),
    minutes_saved: pick([null, 5, 90]),
    archived_at: pick([null, '2026-01-01T00:00:00Z']),
    is_suggested: pick([false, false, true]),
    title: 'b',
  };
  if (random() < 0.4) {
    const { status, priority, todo_list_id, minutes_saved, is_suggested } = values;
    await db.rows(insert, [workspaceId, todo_list_id, status, priority, is_suggested, minutes_saved, pick([1, 1, 4])]);
    return;
  }
  const ids = (await db.rows<{ id: string }>(someTodos, [workspaceId, String(random())])).map(({ id }) => id).sort();
  if (random() < 0.2)
    await db.rows('delete from todos where workspace_id = $1 and id = any($2::uuid[])', [workspaceId, ids]);
  const column = pick(columns);
  const type = {
    priority: 'smallint',
    todo_list_id: 'uuid',
    minutes_saved: 'int',
    archived_at: 'timestamptz',
    is_suggested: 'boolean',
  };
  const cast = column in type ? `::${type[column as keyof typeof type]}` : '';
  // Locked in the order of their ids: two of these transactions wait for each other otherwise.
  const locked = 'select id from todos where workspace_id = $1 and id = any($2::uuid[]) order by id for update';
  await db.rows(
    `with l as materialized (${locked}) update todos t set ${column} = $3${cast} from l where t.workspace_id = $1 and t.id = l.id`,
    [workspaceId, ids, values[column]],
  );
}

class Undone extends Error {}

onPostgres(
  'are those of a count in every snapshot, while todos change, and are added and counted by several processes',
  async () => {
    const worlds = [await newWorld(), await newWorld()];
    let isOver = false;
    const untilOver = async (work: (random: () => number) => Promise<unknown>, seed: number) => {
      const random = randomOf(seed);
      while (!isOver) await work(random);
    };
    const write = async (random: () => number) => {
      const world = random() < 0.7 ? worlds[0] : worlds[1];
      assert.ok(world);
      await tandem.db
        .transaction(async (tx) => {
          for (let left = 1 + random() * 3; left > 0; left--) await change(tx, world, random);
          if (random() < 0.2) throw new Undone();
        })
        .catch((error: unknown) => {
          if (!(error instanceof Undone)) throw error;
        });
    };
    const beside = [
      ...[1, 2, 3, 4].map((seed) => untilOver(write, seed)),
      ...[5, 6].map((seed) => untilOver(() => keepCounts(tandem.db, 7, 1), seed)),
      untilOver(async () => {
        for (const { workspaceId } of worlds)
          assert.not(await countWorkspace(tandem.db, workspaceId), 'the numbers were right');
      }, 7),
    ];
    const failed = Promise.all(beside);
    try {
      for (let round = 0; round < 40; round++) {
        await Promise.race([failed, Promise.all(worlds.map(compare))]);
      }
    } finally {
      isOver = true;
    }
    await failed;
    for (const world of worlds) {
      const { workspaceId } = world;
      await countsAdded(tandem, workspaceId);
      await compare(world);
      assert.not(await countWorkspace(tandem.db, workspaceId));
    }
  },
);

onPostgres('of a workspace that nobody has counted yet are counted when somebody asks', async () => {
  const world = await newWorld();
  const { workspaceId, lists } = world;
  await tandem.db.rows(insert, [workspaceId, lists[0], 'done', 3, false, 5, 6]);
  await keepCounts(tandem.db);
  // As after an upgrade, where no change of the todos that were there is noted.
  for (const table of ['counted_workspaces', 'todo_counts', 'todo_count_changes'])
    await tandem.db.rows(`delete from ${table} where workspace_id = $1`, [workspaceId]);
  await compare(world);
  await tandem.db.rows(insert, [workspaceId, lists[1], 'ready', null, false, null, 2]);
  await compare(world);
  await keepCounts(tandem.db);
  await compare(world);
  await tandem.db.rows('delete from todos where workspace_id = $1', [workspaceId]);
  await compare(world);
});

onPostgres('that were changed by hand are found and counted again', async () => {
  const world = await newWorld();
  const { workspaceId, lists } = world;
  await tandem.db.rows(insert, [workspaceId, lists[0], 'done', 3, false, 5, 6]);
  await countWorkspace(tandem.db, workspaceId);
  assert.not(await countWorkspace(tandem.db, workspaceId));
  const faults = [
    'update todo_counts set todos = todos + 1 where workspace_id = $1',
    'update todo_counts set minutes = minutes - 1 where workspace_id = $1',
    'delete from todo_counts where workspace_id = $1',
    `insert into todo_counts (workspace_id, todo_list_id, status, priority, todos, minutes)
      select workspace_id, todo_list_id, 'ready', 4, 1, 0 from todo_counts where workspace_id = $1`,
  ];
  for (const fault of faults) {
    await tandem.db.rows(fault, [workspaceId]);
    assert.ok(await countWorkspace(tandem.db, workspaceId), fault);
    await compare(world);
    assert.not(await countWorkspace(tandem.db, workspaceId), fault);
  }
});

onPostgres('are added by one process at a time, without waiting for it', async () => {
  const world = await newWorld();
  const { workspaceId, lists } = world;
  await countWorkspace(tandem.db, workspaceId);
  await tandem.db.transaction(async (tx) => {
    await tx.rows(insert, [workspaceId, lists[0], 'done', 3, false, 5, 6]);
    // Until the service itself is not at it.
    while ((await foldCounts(tx, 1000)) === 0);
    await tandem.db.rows(insert, [workspaceId, lists[1], 'ready', null, false, null, 2]);
    assert.is(await foldCounts(tandem.db, 1000), 0);
    await compare(world);
  });
  await compare(world);
});

/** How many scans of todos a plan executed. */
function scansOf(node: PlanNode): number {
  const own = node['Relation Name'] === 'todos' ? node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, each) => sum + scansOf(each), own);
}

onPostgres('are read without the todos', async () => {
  const { workspaceId, lists } = await newWorld();
  await tandem.db.rows(insert, [workspaceId, lists[0], 'done', 3, false, 5, 20]);
  await countWorkspace(tandem.db, workspaceId);
  let scans = 0;
  const rows: Db['rows'] = async (text, values, plan = 'generic') => {
    scans += scansOf((await buffersOf(tandem.db, { text, values, plan })).plan);
    return tandem.db.rows(text, values, plan);
  };
  const db = { rows, engine: tandem.db.engine };
  const scansFor = async (filter: object) => {
    scans = 0;
    assert.is((await summariseTodos({ db, principal: { workspaceId } } as Context, filter)).total, 20);
    return scans;
  };
  for (const filter of [{}, { status: 'done' }, { priority: 'high', todoListId: lists[0] }])
    assert.is(await scansFor(filter), 0, JSON.stringify(filter));
  assert.is(await scansFor({ type: 'task' }), 1);
  await tandem.db.rows('delete from counted_workspaces where workspace_id = $1', [workspaceId]);
  assert.is(await scansFor({}), 1, 'in a workspace whose todos were not counted yet');
});

const someChanges = `insert into todo_count_changes (workspace_id, todo_list_id, status, priority, todos, minutes)
  select $1, $1, 'ready', n % 5, 1, 0 from generate_series(1, 4000) n`;

onPostgres(
  'are added by a plan that is right for many changes, also when it was made while there were none',
  async () => {
    const { workspaceId } = await newWorld();
    await countWorkspace(tandem.db, workspaceId);
    const texts: string[] = [];
    const rows =
      (tx: Db): Db['rows'] =>
      (text, values) => {
        texts.push(text);
        return tx.rows(text, values);
      };
    const transaction = (work: (tx: Db) => unknown) =>
      tandem.db.transaction(async (tx) => work({ ...tx, rows: rows(tx) }));
    await foldCounts({ transaction } as unknown as Db, 5000);
    const text = texts.at(-1) ?? '';
    const explained = tandem.db.driver.begin(async (sql) => {
      await sql.unsafe('delete from todo_count_changes');
      await sql.unsafe('analyze todo_count_changes');
      await sql.unsafe('set local plan_cache_mode = force_generic_plan');
      await sql.unsafe(`prepare fold as ${text}`);
      await sql.unsafe('execute fold(5000)');
      await sql.unsafe(someChanges, [workspaceId]);
      const [row] = await sql.unsafe('explain (analyze, buffers, format json) execute fold(5000)');
      await sql.unsafe('deallocate fold');
      const plan = row?.['QUERY PLAN'][0].Plan as PlanNode;
      // About 12,000; where they are looked for again for each of them, more than 100,000.
      assert.ok(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] < 30_000, JSON.stringify(plan));
      throw new Undone();
    });
    await explained.catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  },
);

test('of nothing are not kept', async () => {
  const { workspaceId, lists } = await newWorld();
  await countWorkspace(tandem.db, workspaceId);
  const change = `insert into todo_count_changes (workspace_id, todo_list_id, status, priority, todos, minutes)
    values ($1, $2, 'ready', $3, $4, 0)`;
  for (const [priority, todos] of [
    [1, 2],
    [2, 2],
    [1, -2],
    [2, -1],
  ]) {
    await tandem.db.rows(change, [workspaceId, lists[0], priority, todos]);
    await countsAdded(tandem, workspaceId);
  }
  const kept = 'select priority, todos::int from todo_counts where workspace_id = $1 and todo_list_id = $2';
  assert.equal(await tandem.db.rows(kept, [workspaceId, lists[0]]), [{ priority: 2, todos: 1 }]);
});

test.run();
