import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grantMinutes } from '../../domain/usage/grants.ts';
import { requireMinutes } from '../../domain/usage/minutes.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('agent minutes that the operator adds');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const grant = ({ workspaceId }: TestWorkspace, minutes: number, reference: string | null = null) =>
  grantMinutes(tandem.db, { workspaceId, minutes, reference });
const command = (...args: string[]) => runScript('grant-minutes', args, { DATABASE_URL: testDatabaseUrl() });

/** What the pages of a workspace show. */
async function shown({ call }: TestWorkspace) {
  const { minutesGranted, minutesRemaining } = (await call('GET /usage')).body;
  return { minutesGranted, minutesRemaining, ofIdentity: (await call('GET /me')).body.workspace.agentMinutesRemaining };
}

test('a workspace without minutes works again, and its ledger adds up', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspaceId]);
  await tandem.db.rows('delete from minute_entries where workspace_id = $1', [workspaceId]);
  assert.is((await workspace.call('POST /chats', { message: 'Hello' })).status, 402);
  const made = await command('--workspace', workspaceId, '--minutes', '25');
  const again = 'Running this again grants them again.';
  const printed = `Granted 25 agent minutes to “Test” (${workspaceId}), which has 25 now. ${again}\n`;
  assert.equal(made, { code: 0, stdout: printed, stderr: '' });
  assert.equal(await shown(workspace), { minutesGranted: 25, minutesRemaining: 25, ofIdentity: 25 });
  await requireMinutes(tandem.db, workspaceId);
  const event = (await recordedEvents(tandem, workspaceId)).at(-1);
  assert.equal(
    [event?.type, event?.changedFields, event?.actorType, event?.via],
    ['workspace.updated', ['agentMinutesRemaining'], 'service', 'cli'],
  );
});

test('a reference is granted once in a workspace, however many grants with it are made at once', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const all = await Promise.all([1, 2, 3].map(() => grant(workspace, 30, 'Invoice 7')));
  assert.equal(all.map(({ type }) => type).sort(), ['made', 'repeated', 'repeated']);
  assert.equal(await shown(workspace), { minutesGranted: 630, minutesRemaining: 630, ofIdentity: 630 });
  assert.is((await grant(other, 30, 'Invoice 7')).type, 'made');
  assert.is((await grant(workspace, 5, 'Invoice 8')).type, 'made');
  await Promise.all([grant(workspace, 1), grant(workspace, 1)]);
  assert.equal(await shown(workspace), { minutesGranted: 637, minutesRemaining: 637, ofIdentity: 637 });
  const { workspaceId } = workspace;
  const again = (minutes: string) =>
    command('--workspace', workspaceId, '--minutes', minutes, '--reference', 'Invoice 7');
  const same = await again('30');
  assert.is(same.code, 0);
  assert.match(same.stdout, /was granted 30 agent minutes on 2\S+Z\. Nothing was granted now\.\n$/);
  const another = await again('31');
  assert.equal([another.code, another.stdout], [1, '']);
  assert.match(another.stderr, 'Nothing was granted now.');
});

test('without arguments the workspaces are listed with their minutes, names and owners', async () => {
  const workspace = await tandem.workspace();
  const [owner] = await tandem.db.rows<{ email: string }>('select email from users where id = $1', [workspace.userId]);
  await tandem.db.rows(`update workspaces set name = E'Stuck\\x1b[2J' where id = $1`, [workspace.workspaceId]);
  const { code, stdout } = await command();
  assert.is(code, 0);
  const line = stdout.split('\n').find((each) => each.startsWith(workspace.workspaceId));
  assert.is(line, `${workspace.workspaceId}        600  Stuck\\u{1b}[2J (${owner?.email})`);
  assert.match(stdout, /\n\d+ workspaces\.\n$/);
});

test('what cannot be granted is refused, and changes nothing', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const unknown = '019ca8b1-c880-7d2a-9f3e-5b8c1e4a7d60';
  const usage = 'npm run grant-minutes -- --workspace ID --minutes NUMBER [--reference TEXT]';
  for (const [args, message] of [
    [['--workspace', workspaceId, '--minutes', '-5'], usage],
    [['--workspace', unknown, '--minutes', '5'], `There is no workspace with the id ${unknown}.`],
  ] as const) {
    const { code, stdout, stderr } = await command(...args);
    assert.equal([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
  }
  assert.is((await shown(workspace)).minutesRemaining, 600);
});

test.run();
