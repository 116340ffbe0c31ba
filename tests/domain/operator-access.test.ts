import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { revokeAccess } from '../../domain/sign-in/operator-access.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('access that the operator ends for everybody');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

test('ends with the keys the apps of people who have no other access', async () => {
  const { workspaceId, connectedApp } = await tandem.workspace();
  const id = await connectedApp();
  const end = (keys: boolean) => revokeAccess(tandem.db, null, { keys, factors: false });
  const isRevoked = async () => {
    const text = 'select revoked_at is not null as "isRevoked" from connected_apps where workspace_id = $1 and id = $2';
    return (await tandem.db.rows<{ isRevoked: boolean }>(text, [workspaceId, id]))[0]?.isRevoked;
  };
  await tandem.db.rows('update credentials set revoked_at = now() where workspace_id = $1', [workspaceId]);
  await end(false);
  assert.is(await isRevoked(), false);
  assert.is(await end(true), 1);
  assert.is(await isRevoked(), true);
  assert.is(await end(true), 0);
});

test.run();
