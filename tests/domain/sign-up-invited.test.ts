import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { openWelcome } from '../support/welcome.ts';

const test = suite('accounts by invitation only');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', SIGN_UP: 'invited' });
});
test.after(() => tandem.close());

const newAddress = () => `${crypto.randomUUID()}@example.com`;
const signUp = (email: string, more: object = {}): Promise<Answer> =>
  tandem.call('POST /auth/accounts', { email, password, name: 'Ada', ...more });
const isKnown = async (email: string) =>
  (await tandem.db.rows('select 1 from users where email = $1', [email])).length === 1;

test('the first person takes the first workspace, others need an invitation that is valid', async () => {
  const { token } = await openWelcome(tandem);
  const first = { token, name: 'Ada', email: newAddress(), password };
  const { status, body: owner } = await tandem.call('POST /auth/welcome', first);
  assert.is(status, 201);
  const asOwner = (route: string, body: unknown) => tandem.call(route, body, { key: owner.token });
  const email = newAddress();
  const refused = await signUp(email);
  const { code, reason, param } = refused.body;
  assert.equal(
    [refused.status, code, reason, param],
    [403, 'workspace_access_denied', 'invitation_required', 'invitationToken'],
  );
  assert.is((await signUp(email, { invitationToken: 'never-made' })).status, 400);
  assert.is(await isKnown(email), false);
  const path = `POST /workspaces/${owner.workspace.id}/invitations`;
  const { body: invitation } = await asOwner(path, { email });
  const invitationToken = /#token=([\w-]+)/.exec(invitation.link)?.[1];
  const other = newAddress();
  assert.is((await signUp(other, { invitationToken })).status, 403, 'it is for another address');
  assert.is(await isKnown(other), false);
  const made = await signUp(email, { invitationToken });
  assert.equal([made.status, made.body.workspace?.id], [201, owner.workspace.id], made.text);
  assert.is((await signUp(newAddress(), { invitationToken })).status, 400, 'it was used');
});

test('people who have an account make workspaces as before', async () => {
  const workspace = await tandem.workspace();
  const token = await workspace.session();
  assert.is((await tandem.call('POST /workspaces', { name: 'Second' }, { key: token })).status, 201);
});

test('the service says so to the pages', async () => {
  assert.is((await tandem.call('GET /', undefined, { key: null })).body.signUp, 'invited');
});

test.run();
