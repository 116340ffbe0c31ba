import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../db/client.ts';
import { agentsAtWork, contextOfAgents } from '../server/agents/start.ts';
import { voicesOf } from '../server/agents/voices.ts';
import { parseConfig } from '../server/config.ts';
import type { Handlers } from '../server/jobs/work.ts';
import { startTestService, type TestService } from './harness.ts';
import { hold, releaseAll, untilBlocked } from './locks.ts';
import { ScriptedEngine, say, settled, use } from './scripted-engine.ts';

const test = suite('turns whose database is in trouble');
const engine = new ScriptedEngine();
let tandem: TestService;
type TurnHandlers = Pick<Handlers, 'onTurn' | 'onDigest'>;
let handlers: TurnHandlers;

/** What goes wrong with a transaction of the workers: told by its number, from 1. */
let trouble: { before?: (count: number) => unknown; after?: (count: number) => unknown } = {};
let count = 0;

/** The database as workers meet it: a transaction may fail before it begins, or commit and never say so. */
function troubled(db: Db): Db {
  const transaction: Db['transaction'] = async (work) => {
    const number = ++count;
    const first = trouble.before?.(number);
    if (first) throw first;
    const result = await db.transaction(work);
    const last = trouble.after?.(number);
    if (last) throw last;
    return result;
  };
  return { orm: db.orm, rows: db.rows, transaction };
}

test.before(async () => {
  const late: TurnHandlers = {
    onTurn: (turn, signal) => handlers.onTurn(turn, signal),
    onDigest: (digest, signal) => handlers.onDigest(digest, signal),
  };
  tandem = await startTestService({}, { handlers: late });
  const log = pino({ level: 'silent' });
  const { queue: jobs, live } = tandem.service.backstage;
  const service = { tools: new Map() } as never;
  const world = {
    db: troubled(tandem.db),
    jobs,
    live,
    clock: () => new Date(),
    service,
    mail: {} as never,
    media: {} as never,
  };
  const voices = { ...voicesOf({}, log), engine };
  handlers = agentsAtWork({ config: parseConfig({}), log, live, voices, context: contextOfAgents(world) });
});
test.before.each(() => {
  trouble = {};
  count = 0;
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const failure = (code: string) => Object.assign(new Error('trouble'), { code });

/** The outcome of a chat whose agent makes three todos, and what is there of them. */
async function threeTodos() {
  const workspace = await tandem.workspace();
  const call = (title: string) => use(['create_todo', { title }]);
  const plan = engine.plan([call('One'), call('Two'), call('Three'), say('Done.')]);
  const { body: made } = await workspace.call('POST /chats', { message: plan });
  const { body: chat } = await settled(workspace, made.id, 60);
  const { body: page } = await workspace.call(`GET /chats/${made.id}/messages?limit=100`);
  const { body: todos } = await workspace.call('GET /todos?order=asc');
  return {
    chat,
    outline: page.data.map(({ blocks }: { blocks: { type: string }[] }) => blocks.map(({ type }) => type).join(' ')),
    titles: todos.data.map(({ title }: { title: string }) => title),
  };
}

const whole = ['text', 'tool_call', 'tool_result', 'tool_call', 'tool_result', 'tool_call', 'tool_result', 'text'];

for (const code of ['CONNECTION_CLOSED', 'ECONNRESET', '57P01']) {
  test(`a commit whose answer is lost (${code}) is not repeated: each effect happens once`, async () => {
    // Every second transaction commits, and its answer never comes.
    trouble = { after: (number) => number % 2 === 1 && failure(code) };
    const { chat, outline, titles } = await threeTodos();
    assert.is(chat.status, 'completed', chat.errorMessage);
    assert.equal(titles, ['One', 'Two', 'Three']);
    assert.equal(outline, whole);
  });
}

for (const code of ['ECONNREFUSED', 'CONNECT_TIMEOUT', '53300', '57P03', '25P03', '25006']) {
  test(`a database that says ${code} now and then fails no turn`, async () => {
    trouble = { before: (number) => number % 3 === 2 && failure(code) };
    const { chat, outline, titles } = await threeTodos();
    assert.is(chat.status, 'completed', chat.errorMessage);
    assert.equal(titles, ['One', 'Two', 'Three']);
    assert.equal(outline, whole);
  });
}

test('a deadlock on its last step puts the end of a run off by no more than a moment', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'Contended' });
  let chatId = '';
  const plan = engine.plan(async () => {
    const lock = 'select 1 from chats where workspace_id = $1 and id = $2 for update';
    const held = await hold(lock, [workspaceId, chatId]);
    const cross = async () => {
      // The worker has the todo and waits for the chat.
      await untilBlocked('%from chats c where%for update%');
      await held.also('select 1 from todos where workspace_id = $1 and id = $2 for update', [workspaceId, todo.id]);
    };
    // On a slow machine the other side is the one to give way.
    void cross()
      .catch(() => {})
      .finally(held.release);
    return say('Done.');
  });
  const run = await call(`POST /todos/${todo.id}/runs`, { message: plan });
  chatId = run.body.chatId;
  const { body: chat } = await settled({ call }, chatId, 11);
  assert.is(chat.status, 'completed', chat.errorMessage);
});

test.run();
