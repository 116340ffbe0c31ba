import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { countOf } from '../support/proof-size.ts';
import { reply, ScriptedEngine, use } from '../support/scripted-engine.ts';
import { answered } from '../support/until.ts';

const test = suite('polling as SPEC says');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '24', DATABASE_POOL_SIZE: '16' }, { engine });
});
test.after(() => tandem.close());

const pollers = 32;
const chatsEach = 5;
const turnsEach = countOf('POLLING_TURNS', { ci: 5, full: 14 });
const all = pollers * chatsEach * turnsEach;

/** Asks, also again after 503: a write with the same key. */
function insist({ call }: TestWorkspace, route: string, body?: unknown): Promise<Answer> {
  const headers = body === undefined ? {} : { 'idempotency-key': crypto.randomUUID() };
  return answered(() => call(route, body, { headers }));
}

interface Seen {
  sequence: number;
  text: string;
}

/**
 * Collects what comes after `afterSequence`, as SPEC "Polling rules" has it: the status is read before the messages;
 * everything has arrived when `hasMore` is false and the status is no longer `running`.
 */
async function collect(workspace: TestWorkspace, chatId: string, afterSequence: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (;;) {
    const { body: chat } = await insist(workspace, `GET /chats/${chatId}`);
    const highest = seen.at(-1)?.sequence ?? afterSequence;
    const next = `GET /chats/${chatId}/messages?afterSequence=${highest}&limit=2`;
    const { body: page, text } = await insist(workspace, next);
    assert.ok(page.data, text);
    seen.push(...page.data);
    if (!page.hasMore && chat.status !== 'running') return seen;
  }
}

test(`${all} turns under load: no poller ever misses the end of an answer`, async () => {
  const workspace = await tandem.workspace();
  const converse = async (poller: number) => {
    let turn = 0;
    const plan = engine.plan((request) => {
      const last = request.conversation.at(-1);
      // Every third turn calls tools first, so that an answer is several messages long.
      if (turn % 3 === 0 && last?.role === 'user') return use(['list_todo_lists', {}], ['list_todos', { limit: 1 }]);
      return reply(`The end of turn ${turn} of ${poller}.`);
    });
    const { body: chat } = await insist(workspace, 'POST /chats', { message: plan });
    let highest = 0;
    for (; turn < turnsEach; turn++) {
      if (turn > 0) {
        const sent = await insist(workspace, `POST /chats/${chat.id}/messages`, { message: 'Go on.' });
        assert.is(sent.status, 202, sent.text);
        highest = sent.body.messageSequence;
      }
      const seen = await collect(workspace, chat.id, highest);
      const first = seen[0]?.sequence ?? 0;
      assert.equal(
        seen.map(({ sequence }) => sequence),
        seen.map((_each, place) => first + place),
        'without gaps',
      );
      assert.is(seen.at(-1)?.text, `The end of turn ${turn} of ${poller}.`);
    }
  };
  await Promise.all(
    Array.from({ length: pollers }, async (_, poller) => {
      for (let chat = 0; chat < chatsEach; chat++) await converse(poller);
    }),
  );
  const [row] = await tandem.db.rows<{ broken: number; turns: number }>(
    `select count(*) filter (where t.outcome <> 'completed')::int as broken, count(*)::int as turns
     from chat_turns t where t.workspace_id = $1`,
    [workspace.workspaceId],
  );
  assert.equal(row, { broken: 0, turns: all });
});

test.run();
