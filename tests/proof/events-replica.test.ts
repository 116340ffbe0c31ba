import { createTandemClient, followEvents, isTandemError, type TandemClient, type TandemEvent } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../../domain/scopes.ts';
import { watchedClient } from '../support/client-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { countOf } from '../support/proof-size.ts';
import { sequenceOf, unreliable } from '../support/unreliable.ts';

/*
 * A copy of todos and lists that is made from the log alone, with a connection that breaks all the time, while clients
 * change them at random.
 */

const test = suite('a copy made by followEvents');
const operations = countOf('EVENT_OPERATIONS', { ci: 600, full: 10_000 });
const disconnects = countOf('EVENT_DISCONNECTS', { ci: 25, full: 1000 });
const clients = 5;

const services: TestService[] = [];

test.before(async () => {
  for (let count = 0; count < 2; count++) services.push(await startTestService({ AGENT_CONCURRENCY: '0' }));
});
test.after(async () => {
  await Promise.all(services.map((service) => service.close()));
});

/** What exists, as the clients that change it know it. */
interface World {
  todos: string[];
  lists: string[];
  erased: string[];
}

type Random = () => number;

const pick = <Each>(all: readonly Each[], random: Random) => all[Math.floor(random() * all.length)];

/** One change; others may have erased or archived what it changes. */
async function change({ todos, todoLists }: TandemClient, world: World, random: Random): Promise<void> {
  const dice = random();
  const [todoId, todoListId] = [pick(world.todos, random), pick(world.lists, random)];
  if (todoId === undefined || dice < 0.3) {
    const title = `Todo ${random()}`;
    world.todos.push((await todos.create.mutate({ title, ...(todoListId && dice < 0.1 && { todoListId }) })).id);
  } else if (dice < 0.5) {
    await todos.update.mutate({ todoId, title: `Title ${random()}`, priority: pick(['low', 'high'] as const, random) });
  } else if (dice < 0.65) {
    await todos.update.mutate({ todoId, status: pick(['ready', 'in_progress', 'done'] as const, random) });
  } else if (dice < 0.72) await todos.delete.mutate({ todoId });
  else if (dice < 0.78) await todos.restore.mutate({ todoId });
  else if (dice < 0.86) {
    await todos.delete.mutate({ todoId, permanent: true });
    world.erased.push(todoId);
    world.todos.splice(world.todos.indexOf(todoId), 1);
  } else if (todoListId === undefined || dice < 0.9) {
    world.lists.push((await todoLists.create.mutate({ name: `List ${random()}` })).id);
  } else if (dice < 0.95) await todos.update.mutate({ todoId, todoListId });
  else if (dice < 0.98) await todoLists.update.mutate({ todoListId, name: `Name ${random()}` });
  else await todoLists.delete.mutate({ todoListId });
}

/** @throws what is no refusal because of the change of another client. */
function requireRefusal(error: unknown): void {
  if (!isTandemError(error) || ![404, 409, 400].includes(error.status)) throw error;
}

/** Changes of one client, one after another. */
async function walk(client: TandemClient, world: World, random: Random, count: number): Promise<void> {
  for (let made = 0; made < count; made++) await change(client, world, random).catch(requireRefusal);
}

/** The copy: what the service answers for each resource. Counts of a list are no part of it, and have no events. */
class Replica {
  readonly resources = new Map<string, object>();

  async read(client: TandemClient, object: string, id: string): Promise<void> {
    const found = await this.#get(client, object, id).catch((error: unknown) => {
      if (isTandemError(error) && error.status === 404) return undefined;
      throw error;
    });
    if (found) this.resources.set(id, found);
    else this.resources.delete(id);
  }

  async #get({ todos, todoLists }: TandemClient, object: string, id: string): Promise<object> {
    if (object === 'todo') return todos.get.query({ todoId: id });
    const { todoCount: _, activeTodoCount: __, ...list } = await todoLists.get.query({ todoListId: id });
    return list;
  }

  async apply(client: TandemClient, { type, data }: TandemEvent): Promise<void> {
    if (type.endsWith('.deleted')) this.resources.delete(data.id);
    else await this.read(client, data.object, data.id);
  }

  /** Reads everything that the service has. */
  async readAll(client: TandemClient): Promise<void> {
    this.resources.clear();
    for (const { id } of (await client.todoLists.list.query({ includeArchived: true })).data) {
      await this.read(client, 'todo_list', id);
    }
    // Archived ones are listed instead of the others.
    for (const includeArchived of [false, true]) {
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = { limit: 100, includeArchived, ...(cursor !== undefined && { cursor }) };
        const answer: Awaited<ReturnType<typeof client.todos.list.query>> = await client.todos.list.query(page);
        await Promise.all(answer.data.map(({ id }) => this.read(client, 'todo', id)));
        cursor = answer.nextCursor;
      }
    }
  }
}

test('equals the service, erasures included, however often it is disconnected', async () => {
  const [here, there] = services as [TestService, TestService];
  const workspace = await here.workspace();
  const key = await workspace.mint(scopes, { rateLimitPerMinute: 1_000_000 });
  const world: World = { todos: [], lists: [], erased: [] };
  let faults = 0;
  const { client } = watchedClient(
    there,
    key,
    {},
    unreliable({
      random: sequenceOf(11),
      isOver: () => faults >= disconnects,
      maxBytes: 6000,
      onFault: () => {
        faults++;
      },
    }),
  );
  const replica = new Replica();
  let end: number | undefined;
  const stop = new AbortController();
  const isAtEnd = (sequence: number) => end !== undefined && sequence >= end && faults >= disconnects;
  const following = (async () => {
    const options = {
      resources: ['todo' as const, 'todo_list' as const],
      onSnapshotNeeded: () => replica.readAll(client),
      onPosition: (sequence: number) => isAtEnd(sequence) && stop.abort(),
      signal: stop.signal,
    };
    let last = 0;
    for await (const event of followEvents(client, options)) {
      assert.ok(event.sequence > last, 'in order, and none twice');
      last = event.sequence;
      await replica.apply(client, event);
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });

  const random = Array.from({ length: clients }, (_, seed) => sequenceOf(seed + 1));
  const walkers = random.map((each, place) => {
    const { url } = place % 2 === 0 ? here : there;
    return walk(createTandemClient({ url, token: key }), world, each, Math.ceil(operations / clients));
  });
  await Promise.race([Promise.all(walkers), following]);
  // Whatever is read now, everything before is numbered below it.
  const { body: late } = await workspace.call('POST /todos', { title: 'The last one' });
  let page: { data: { sequence: number }[] };
  do {
    page = (await workspace.call(`GET /events?resourceId=${late.id}&waitSeconds=5`)).body;
  } while (page.data.length === 0);
  end = page.data[0]?.sequence;
  await following;

  const server = new Replica();
  await server.readAll(createTandemClient({ url: here.url, token: key }));
  // One by one: the difference between thousands of resources is not readable.
  for (const [id, expected] of server.resources) assert.equal(replica.resources.get(id), expected);
  const left = [...replica.resources].filter(([id]) => !server.resources.has(id));
  assert.equal(
    left.slice(0, 3).map(([id]) => id),
    [],
  );
  assert.is(replica.resources.size, server.resources.size);
  for (const id of world.erased) assert.not.ok(replica.resources.has(id));
  for (const id of world.erased.slice(0, 20)) {
    const { data } = (await workspace.call(`GET /events?resourceId=${id}`)).body;
    assert.is(data.at(-1).type, 'todo.deleted');
    assert.ok(data.every((event: TandemEvent) => event.data.changedFields.length === 0));
  }
  console.log(`${operations} operations, ${faults} disconnects, ${server.resources.size} resources, ${end} events`);
});

test.run();
