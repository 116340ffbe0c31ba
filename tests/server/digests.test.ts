import { pino } from 'pino';
import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDigest, LostLease } from '../../domain/jobs.ts';
import { offlineWriter } from '../../engine/writer/offline.ts';
import type { Writer } from '../../engine/writer/writer.ts';
import { type DigestClaim, digestLeases, maxTries, pauseOf } from '../../server/workers/digests/leases.ts';
import { digestHandler } from '../../server/workers/digests/worker.ts';
import { setMinutes } from '../support/capture-fixtures.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { turnInState } from '../support/jobs-world.ts';

const test = suite('digests');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

/** A chat with a message, whose subtitle is to be written. */
async function chat() {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const { chatId } = await turnInState(tandem, workspace, { ended: true, status: 'completed' });
  await tandem.db.rows(
    `insert into messages (workspace_id, chat_id, id, sequence, role, text, blocks) values ($1, $2, $3, 1, 'user', 'Hi', '[{"type":"text","text":"Hi"}]')`,
    [workspaceId, chatId, newId()],
  );
  const digest = { kind: 'chat_subtitle', workspaceId, id: chatId } as const;
  const ask = () => addDigest(tandem.db, digest);
  await ask();
  const subtitle = async () => {
    const text = 'select subtitle from chats where workspace_id = $1 and id = $2';
    return (await tandem.db.rows<{ subtitle: string | null }>(text, [workspaceId, chatId]))[0]?.subtitle ?? null;
  };
  return { workspaceId, chatId, ask, subtitle };
}

async function claimOf({ workspaceId }: { workspaceId: string }, kind = 'chat_subtitle'): Promise<DigestClaim> {
  await tandem.db.rows('update digests set lease_until = now() where workspace_id = $1', [workspaceId]);
  const { claims } = await digestLeases.claim(tandem.db, 100, newId(), '00000000-0000-0000-0000-000000000000');
  const claimed = claims.find((each) => each.workspaceId === workspaceId && each.kind === kind);
  assert.ok(claimed);
  return claimed;
}

/** Works on a claim with this writer. */
function workWith(claim: DigestClaim, written: Partial<Writer>, signal = new AbortController().signal): Promise<void> {
  const writers = { writer: { ...offlineWriter, ...written }, offlineWriter };
  const handle = digestHandler(tandem.db, writers, pino({ level: 'silent' }));
  return handle(claim, { signal, check: () => {}, wakeIn: () => {} });
}

/** Works on a claim with a writer of subtitles. */
function work(claim: DigestClaim, subtitle: Writer['subtitle'], signal?: AbortSignal): Promise<void> {
  return workWith(claim, { subtitle }, signal);
}

const outcome = (working: Promise<void>) =>
  working.then(
    () => 'done',
    (error: Error) => error,
  );

test('a worker that lost its claim while it wrote saves nothing over what its successor saved', async () => {
  const about = await chat();
  const slow = Promise.withResolvers<string>();
  const working = outcome(work(await claimOf(about), () => slow.promise));
  await work(await claimOf(about), async () => 'New');
  slow.resolve('Old');
  assert.instance(await working, LostLease);
  assert.is(await about.subtitle(), 'New');
});

test('a text that was asked for again meanwhile is not saved: it is written from what is there now', async () => {
  const about = await chat();
  const working = work(await claimOf(about), async () => {
    await about.ask();
    return 'Of before';
  });
  assert.instance(await outcome(working), LostLease);
  assert.is(await about.subtitle(), null);
  await work(await claimOf(about), async () => 'Of now');
  assert.is(await about.subtitle(), 'Of now');
});

test('a skill that is changed without minutes is summarized without the model', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { body: agent } = await call('POST /agents', { name: 'Clerk' });
  const instructions = 'File every letter under the name of its sender.';
  const { body: skill } = await call(`POST /agents/${agent.id}/skills`, { name: 'Filing', instructions });
  let asked = 0;
  const written = { skillSummary: async () => `By the model ${++asked}.` };
  const summary = async () => {
    await workWith(await claimOf({ workspaceId }, 'skill_summary'), written);
    const text = 'select summary from agent_skills where workspace_id = $1 and id = $2';
    return (await tandem.db.rows<{ summary: string }>(text, [workspaceId, skill.id]))[0]?.summary;
  };
  assert.is(await summary(), 'By the model 1.');
  await setMinutes(tandem, workspace, 0);
  await call(`PATCH /agents/${agent.id}/skills/${skill.id}`, { instructions: `${instructions} Twice.` });
  assert.is(
    await summary(),
    await offlineWriter.skillSummary('Filing', `${instructions} Twice.`, new AbortController().signal),
  );
  assert.is(asked, 1);
});

test('a digest that fails is tried again over minutes, and given up with its last try', async () => {
  const about = await chat();
  const failing = () => Promise.reject(new Error('no answer'));
  const pauses: number[] = [];
  for (let tries = 1; tries < maxTries; tries++) {
    const claimed = await claimOf(about);
    assert.instance(await outcome(work(claimed, failing)), Error);
    pauses.push(pauseOf(claimed));
  }
  assert.equal(pauses, [10, 60, 300, 900]);
  const last = await claimOf(about);
  const stopping = AbortSignal.abort(new Error('stops'));
  assert.instance(await outcome(work(last, failing, stopping)), Error, 'a stop is not the last try');
  assert.is(await outcome(work(last, failing)), 'done');
});

test.run();
