import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { onCopies } from '../../db/engine/copies.ts';
import { type Placement, placements } from '../../db/engine/placement.ts';
import { createDatabase } from '../support/scratch.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('places of tables on Citus');

const at = (wanted: Placement) =>
  [...placements.values()].filter(({ placement }) => placement === wanted).map(({ name }) => name);

/**
 * A new table with a `workspace_id` is distributed. Any other is to be put into one of these lists, here and knowingly.
 */
test('reference tables and those of the coordinator alone are these', () => {
  assert.equal(at('reference').sort(), ['connected_apps', 'credentials', 'members', 'users']);
  assert.equal(at('local').sort(), [
    'counted_workspaces',
    'email_verifications',
    'event_positions',
    'events',
    'heartbeats',
    'oauth_artifacts',
    'passkeys',
    'password_resets',
    'rate_windows',
    'recent_authentications',
    'recovery_codes',
    'service_secrets',
    'sign_in_attempts',
    'sign_in_challenges',
    'sweeps',
    'todo_count_changes',
    'todo_counts',
    'totp_secrets',
    'webauthn_challenges',
    'welcome_links',
  ]);
});

test('what reads reference tables alone names the copies of the coordinator', async () => {
  const copies = [
    { name: 'credentials', shard: '102008' },
    { name: 'members', shard: '102009' },
  ];
  const run = async <Row extends object>() => copies as unknown as Row[];
  const text = 'select id from credentials c where exists (select from members m join users u on u.id = m.user_id)';
  assert.is(
    await onCopies(run, text, ['credentials', 'members']),
    'select id from credentials_102008 c where exists (select from members_102009 m join users u on u.id = m.user_id)',
  );
  const missing = await onCopies(run, text, ['users']).catch((error: Error) => error.message);
  assert.is(missing, 'The coordinator has no copy of the table users');
});

test('npm run db:distribute says that a database has no Citus, and changes nothing', async () => {
  const scratch = await createDatabase();
  try {
    const { code, stdout, stderr } = await runScript('distribute', [], { DATABASE_URL: scratch.url });
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, /^The database has no Citus: run `create extension citus` in it/);
  } finally {
    await scratch.drop();
  }
});

test.run();
