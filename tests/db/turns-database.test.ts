import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { agentsAtWork, contextOfAgents } from '../../server/agents.ts';
import { parseConfig } from '../../server/config.ts';
import { selectEngines } from '../../server/engine-selection.ts';
import type { Handlers } from '../../server/workers/work.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { noMail } from '../support/turn-world.ts';

const test = suite('turns whose database fails');
const engine = new ScriptedEngine();
let tandem: TestService;
type TurnHandlers = Pick<Handlers, 'onTurn' | 'onDigest'>;
let handlers: TurnHandlers;

/**
 * The error of a transaction of the workers before or after its work, by its number, from 1; the end of a turn is one.
 */
let faults: { before?: (count: number) => unknown; after?: (count: number) => unknown | Promise<unknown> } = {};
let count = 0;

/** The database as workers meet it: a transaction may fail before it begins, or commit without an answer. */
function faulty(db: Db): Db {
  const failing = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const number = ++count;
    const first = faults.before?.(number);
    if (first) throw first;
    const result = await work();
    const last = await faults.after?.(number);
    if (last) throw last;
    return result;
  };
  const transaction: Db['transaction'] = (work) => failing(() => db.transaction(work));
  const rows: Db['rows'] = (text, values) => {
    const run = () => db.rows<never>(text, values);
    return text.includes('insert into messages') ? failing(run) : run();
  };
  const notify: Db['notify'] = (...given) => db.notify(...given);
  const { orm, lookUp, engine, origin } = db;
  return { orm, rows, lookUp, notify, transaction, engine, origin, as: (other) => faulty(db.as(other)) };
}

test.before(async () => {
  const late: TurnHandlers = {
    onTurn: (turn, job) => handlers.onTurn(turn, job),
    onDigest: (digest, job) => handlers.onDigest(digest, job),
  };
  tandem = await startTestService({}, { handlers: late });
  const log = pino({ level: 'silent' });
  const { live, logs } = tandem.service;
  const service = { tools: new Map() } as never;
  const world = {
    db: faulty(tandem.db),
    live,
    logs,
    clock: () => new Date(),
    service,
    mail: noMail as never,
    media: {} as never,
    observe: <Outcome>(_: unknown, run: () => Promise<Outcome>) => run(),
  };
  const selection = { ...selectEngines({}, log), engine };
  handlers = agentsAtWork({ config: parseConfig({}), log, live, selection, context: contextOfAgents(world) });
});
test.before.each(() => {
  faults = {};
  count = 0;
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const failure = (code: string) => Object.assign(new Error('database fault'), { code });

/** The outcome of a chat whose agent makes three todos, and what is there of them. */
async function threeTodos() {
  const workspace = await tandem.workspace();
  const call = (title: string) => use(['create_todo', { title }]);
  const plan = engine.plan([call('One'), call('Two'), call('Three'), reply('Done.')]);
  const { body: made } = await workspace.call('POST /chats', { message: plan });
  const { body: chat } = await settled(workspace, made.id);
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
    faults = { after: (number) => number % 2 === 1 && failure(code) };
    const { chat, outline, titles } = await threeTodos();
    assert.is(chat.status, 'completed', chat.errorMessage);
    assert.equal(titles, ['One', 'Two', 'Three']);
    assert.equal(outline, whole);
  });
}

test('an answer whose commit is not confirmed is not saved again when its calls were denied meanwhile', async () => {
  const { call } = await tandem.workspace();
  const { body: agent } = await call('POST /agents', { name: 'Careful' });
  const plan = engine.plan([use(['create_todo', { title: 'One' }]), reply('Then not.')]);
  faults = {
    after: async () => {
      const { body } = await call('GET /approvals?status=pending');
      for (const { id } of body.data) await call(`POST /approvals/${id}/decide`, { decision: 'deny' });
      return body.data.length > 0 && failure('CONNECTION_CLOSED');
    },
  };
  const { body: made } = await call('POST /chats', { message: plan, agentId: agent.id });
  const { body: chat } = await settled({ call }, made.id);
  assert.is(chat.status, 'completed', chat.errorMessage);
  const { body: page } = await call(`GET /chats/${made.id}/messages?limit=100`);
  assert.equal(
    page.data.map(({ blocks }: { blocks: { type: string }[] }) => blocks.map(({ type }) => type).join(' ')),
    ['text', 'tool_call approval_request', 'approval_decision', 'text'],
  );
});

for (const code of ['ECONNREFUSED', 'CONNECT_TIMEOUT', '53300', '57P03', '25P03', '25006']) {
  test(`a database that says ${code} now and then fails no turn`, async () => {
    faults = { before: (number) => number % 3 === 2 && failure(code) };
    const { chat, outline, titles } = await threeTodos();
    assert.is(chat.status, 'completed', chat.errorMessage);
    assert.equal(titles, ['One', 'Two', 'Three']);
    assert.equal(outline, whole);
  });
}

test('a deadlock on its last step is repeated by its own worker', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'Contended' });
  const started = Promise.withResolvers<string>();
  const plan = engine.plan(async () => {
    const lock = 'select 1 from chats where workspace_id = $1 and id = $2 for update';
    const held = await hold(lock, [workspaceId, await started.promise]);
    const cross = async () => {
      // The worker has the todo and waits for the chat.
      await untilBlocked('%from chats c where%for update%');
      await held.also('select 1 from todos where workspace_id = $1 and id = $2 for update', [workspaceId, todo.id]);
    };
    // On a slow machine the other side is the one to give way.
    void cross()
      .catch(() => {})
      .finally(held.release);
    return reply('Done.');
  });
  // Without the sweep, which gives the turn to another worker once its lease is over.
  const { body: chat } = await withFrozenTimers(async () => {
    const run = await call(`POST /todos/${todo.id}/runs`, { message: plan });
    started.resolve(run.body.chatId);
    return settled({ call }, run.body.chatId);
  });
  assert.is(chat.status, 'completed', chat.errorMessage);
});

test.run();
