import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { agentsAtWork, contextOfAgents } from '../../server/agents.ts';
import { parseConfig } from '../../server/config.ts';
import { selectEngines } from '../../server/engine-selection.ts';
import type { Handlers } from '../../server/workers/work.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';

const test = suite('statements of a turn');
const engine = new ScriptedEngine();
let tandem: TestService;
let handlers: Pick<Handlers, 'onTurn' | 'onDigest'>;
/** What the worker of the turn sends to the database. */
const sent: string[] = [];
/** Statements with these words take longer than the database lets them. */
let tooSlow: string | undefined;

function counted(db: Db): Db {
  const transaction: Db['transaction'] = (work, first) => {
    sent.push('begin');
    return db.transaction((tx, rows: Parameters<typeof work>[1]) => work(counted(tx), rows), first);
  };
  const rows: Db['rows'] = async (text, values) => {
    sent.push(text);
    if (tooSlow !== undefined && text.includes(tooSlow)) {
      await db.rows(`set local statement_timeout = 1`, []);
      return db.rows('select pg_sleep(60)', []);
    }
    return db.rows(text, values);
  };
  return { ...db, transaction, rows, notify: (...args) => db.notify(...args), as: (other) => counted(db.as(other)) };
}

test.before(async () => {
  tandem = await startTestService({}, { handlers: { onTurn: (turn, job) => handlers.onTurn(turn, job) } });
  const log = pino({ level: 'silent' });
  const { live, logs } = tandem.service;
  const world = {
    db: counted(tandem.db),
    live,
    logs,
    clock: () => new Date(),
    service: { tools: new Map() } as never,
    mail: { sends: false } as never,
    media: {} as never,
    observe: <Outcome>(_: unknown, run: () => Promise<Outcome>) => run(),
  };
  const selection = { ...selectEngines({}, log), engine };
  handlers = agentsAtWork({ config: parseConfig({}), log, live, selection, context: contextOfAgents(world) });
});
test.after.each(releaseAll);
test.after.each(() => {
  tooSlow = undefined;
});
test.after(() => tandem.close());

/** A chat whose turn does what is planned, and the answers of its agent. */
async function turnOf(
  workspace: Awaited<ReturnType<TestService['workspace']>>,
  plan: Parameters<ScriptedEngine['plan']>[0],
) {
  sent.length = 0;
  const { body: made } = await workspace.call('POST /chats', { message: engine.plan(plan), title: 'a' });
  const { body: chat } = await settled(workspace, made.id);
  const { body: page } = await workspace.call(`GET /chats/${made.id}/messages`);
  return { chat, texts: page.data.slice(1).map(({ text }: { text: string }) => text) };
}

test('a plain turn is three beside its claim: the messages, what the prompt is built from, and the end', async () => {
  const workspace = await tandem.workspace();
  const { chat, texts } = await turnOf(workspace, [reply('Done.')]);
  assert.equal([chat.status, chat.messageCount, texts], ['completed', 2, ['Done.']]);
  assert.is(chat.completedAt, chat.lastMessageAt);
  assert.is(sent.length, 3, sent.join('\n'));
  assert.not.ok(sent.includes('begin'));
});

test('an end that uses up the minutes of the workspace is saved too, and so is one after calls of tools', async () => {
  const workspace = await tandem.workspace();
  const called = await turnOf(workspace, [use(['create_todo', { title: 'One' }]), reply('Made.')]);
  assert.equal([called.chat.status, called.texts.at(-1)], ['completed', 'Made.']);
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspace.workspaceId]);
  const { chat, texts } = await turnOf(workspace, [reply('Done.')]);
  assert.equal([chat.status, texts], ['completed', ['Done.']]);
  assert.ok(sent.includes('begin'));
  const minutes = 'select agent_minutes::float8 as left from workspaces where id = $1';
  assert.equal(await tandem.db.rows(minutes, [workspace.workspaceId]), [{ left: 0 }]);
  const charges = `select (select sum(e.minutes) from minute_entries e where e.workspace_id = $1 and kind = 'turn') as charged,
    (select -sum(t.minutes) from chat_turns t where t.workspace_id = $1) as counted`;
  const [sums] = await tandem.db.rows<{ charged: string; counted: string }>(charges, [workspace.workspaceId]);
  assert.is(sums?.charged, sums?.counted);
});

test('a call whose statement takes too long is made once more, and then the model sees that', async () => {
  const workspace = await tandem.workspace();
  tooSlow = 'insert into todos';
  const { chat, texts } = await turnOf(workspace, [use(['create_todo', { title: 'Slow' }]), reply('It was too slow.')]);
  assert.equal([chat.status, texts.at(-1)], ['completed', 'It was too slow.'], chat.errorMessage);
  assert.is(sent.filter((text) => text.includes('insert into todos')).length, 2);
  const { body: page } = await workspace.call(`GET /chats/${chat.id}/messages`);
  const [result] = page.data.at(-2).blocks;
  assert.equal([result.type, result.isError], ['tool_result', true]);
  assert.match(result.output.message, 'took too long');
  assert.equal((await workspace.call('GET /todos')).body.data, []);
});

test('an end that waits for a renewal of its lease and for another charge counts both', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const minutes = () =>
    tandem.db.rows<{ left: string }>('select agent_minutes::text as left from workspaces where id = $1', [workspaceId]);
  const [before] = await minutes();
  const asked = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const script = async () => {
    asked.resolve();
    await isHeld.promise;
    return reply('Done.');
  };
  const ended = turnOf(workspace, script);
  await asked.promise;
  const renewal = `update chat_turns set lease_until = now() + interval '2 minutes'
    where workspace_id = $1 and ended_at is null`;
  const held = await hold(renewal, [workspaceId]);
  await held.also('update workspaces set agent_minutes = agent_minutes - 5 where id = $1', [workspaceId]);
  isHeld.resolve();
  await untilBlocked('%as owed%');
  await held.also('commit', []);
  const { chat, texts } = await ended;
  assert.equal([chat.status, texts], ['completed', ['Done.']]);
  assert.not.ok(sent.includes('begin'));
  const left = `select (w.agent_minutes = $2::numeric - 5 + e.sum) as "isRight", e.sum < 0 as "isCharged" from workspaces w,
    (select sum(minutes) from minute_entries where workspace_id = $1 and kind = 'turn') e where w.id = $1`;
  assert.equal(await tandem.db.rows(left, [workspaceId, before?.left]), [{ isRight: true, isCharged: true }]);
});

test.run();
