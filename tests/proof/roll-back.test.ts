import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newAccount } from '../support/people.ts';
import { type PreviousRelease, unpackPreviousRelease } from '../support/previous-release.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('the previous release on the newest database');
let previous: PreviousRelease;
let scratch: ScratchDatabase;
let sql: postgres.Sql;

test.before(async () => {
  previous = await unpackPreviousRelease();
});
test.before.each(async () => {
  scratch = await createDatabase();
  sql = postgres(scratch.url, { max: 1, onnotice: () => {} });
});
test.after.each(async () => {
  await stopProcesses();
  await sql.end();
  await scratch.drop();
});
test.after(() => previous.remove());

const settings = () => ({ DATABASE_URL: scratch.url, RATE_LIMIT_PER_KEY: '1000000' });
const start = (environment = {}) => startProcess({ ...settings(), ...environment });
const startPrevious = (environment = {}) => startProcess({ ...settings(), ...environment }, previous.main);

const scopes = ['todos:read', 'todos:write', 'chats:read', 'chats:write'];

/** Signs a person up, and makes the key of a program. */
async function signUp(service: ServiceProcess): Promise<string> {
  const call = (route: string, body?: unknown) => service.call(route, null, body);
  const { session } = await newAccount({ call } as Parameters<typeof newAccount>[0]);
  const wanted = { workspaceId: session.workspace.id, name: 'Program', scopes };
  return bodyOf(await service.call('POST /api-keys', session.token, wanted), 201).secret;
}

async function titles(service: ServiceProcess, key: string): Promise<string[]> {
  const { data } = bodyOf(await service.call('GET /todos?order=asc', key));
  return data.map(({ title }: { title: string }) => title).sort();
}

const ask = (title: string) => `Create a todo: ${title}`;

/** Has the agent create a todo. Returns the id of the chat. */
async function askAgent(service: ServiceProcess, key: string, title: string): Promise<string> {
  return bodyOf(await service.call('POST /chats', key, { message: ask(title) }), 201).id;
}

/** Changes the todo with a title, alone and with others, and archives and restores it. */
async function change(service: ServiceProcess, key: string, from: string, title: string): Promise<void> {
  const { data } = bodyOf(await service.call('GET /todos', key));
  const { id } = data.find((todo: { title: string }) => todo.title === from);
  bodyOf(await service.call(`PATCH /todos/${id}`, key, { title, dueDate: '2027-01-15' }));
  bodyOf(await service.call('POST /todos/bulk', key, { ids: [id], patch: { status: 'done' } }));
  bodyOf(await service.call(`DELETE /todos/${id}`, key));
  bodyOf(await service.call(`POST /todos/${id}/restore`, key));
}

/** Waits for the end of a turn and for the texts about the chat, which are written after it. */
async function finished(service: ServiceProcess, key: string, chatId: string): Promise<void> {
  let chat: Record<string, unknown> = {};
  const isFinished = async () => {
    chat = bodyOf(await service.call(`GET /chats/${chatId}`, key));
    return chat.status === 'completed' && chat.title !== null && chat.subtitle !== null;
  };
  await until(isFinished, () => `${JSON.stringify(chat)}\n${service.output()}`);
}

async function digestsLeft(): Promise<number> {
  const [row] = await sql`select count(*)::int as count from digests`;
  return row?.count;
}

test('runs at the same time as this one and after it, and each reads what the other wrote', async () => {
  const old = await startPrevious();
  const key = await signUp(old);
  await old.call('POST /todos', key, { title: 'Before' });
  await finished(old, key, await askAgent(old, key, 'Made before'));

  const fresh = await start();
  for (const [name, service] of Object.entries({ old, fresh })) {
    assert.is((await service.call('POST /todos', key, { title: `Beside ${name}` })).status, 201);
    await finished(service, key, await askAgent(service, key, `Agent beside ${name}`));
  }
  await change(old, key, 'Beside fresh', 'Changed by old');
  await change(fresh, key, 'Beside old', 'Changed by fresh');
  const made = [
    'Agent beside fresh',
    'Agent beside old',
    'Before',
    'Changed by fresh',
    'Changed by old',
    'Made before',
  ];
  for (const service of [old, fresh]) assert.equal(await titles(service, key), made);
  assert.is(await old.stop(), 0, old.output());
  assert.is(await fresh.stop(), 0, fresh.output());

  const back = await startPrevious();
  assert.equal(await titles(back, key), made);
  assert.is((await back.call('POST /todos', key, { title: 'After' })).status, 201);
  await finished(back, key, await askAgent(back, key, 'Agent after'));
  const other = await signUp(back);
  assert.equal(await titles(back, other), []);
  assert.is(await back.stop(), 0, back.output());
});

test('finishes work that this one queued, and the other way round', async () => {
  const old = await startPrevious({ AGENT_CONCURRENCY: '0' });
  const key = await signUp(old);
  const ofOld = await askAgent(old, key, 'Queued by the previous release');
  await old.stop();

  const idle = await start({ AGENT_CONCURRENCY: '0' });
  const ofFresh = await askAgent(idle, key, 'Queued by this release');
  await idle.stop();
  assert.ok((await digestsLeft()) > 0);

  const back = await startPrevious();
  for (const chatId of [ofOld, ofFresh]) await finished(back, key, chatId);
  await until(async () => (await digestsLeft()) === 0);
  await back.stop();

  const again = await startPrevious({ AGENT_CONCURRENCY: '0' });
  const last = await askAgent(again, key, 'Queued after the roll-back');
  await again.stop();
  const fresh = await start();
  await finished(fresh, key, last);
  assert.equal(await titles(fresh, key), [
    'Queued after the roll-back',
    'Queued by the previous release',
    'Queued by this release',
  ]);
});

test('starts on a database that only this one ever used', async () => {
  const fresh = await start();
  const key = await signUp(fresh);
  await finished(fresh, key, await askAgent(fresh, key, 'First'));
  await fresh.stop();
  const back = await startPrevious();
  await finished(back, key, await askAgent(back, key, 'Second'));
  assert.equal(await titles(back, key), ['First', 'Second']);
});

test.run();
