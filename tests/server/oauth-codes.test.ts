import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestService } from '../support/harness.ts';
import {
  authorizeUrl,
  Browser,
  connectApp,
  decide,
  pkce,
  redeem,
  refresh,
  register,
  send,
  startTwo,
} from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

const test = suite('oauth: codes');
let tandem: TestService;
let elsewhere: string;
let close: () => Promise<void>;

test.before(async () => {
  ({ tandem, elsewhere, close } = await startTwo());
});
test.after(() => close());

const status = async (token: string, url = tandem.url) =>
  (await send(url, 'GET /api/v1/me', { headers: { authorization: `Bearer ${token}` } })).status;

test('a code is good for one use: a replay ends the grant', async () => {
  const person = await newAccount(tandem);
  const app = await connectApp(tandem, person);
  assert.is(await status(app.accessToken), 200);
  const replay = await redeem(elsewhere, app);
  assert.is(replay.status, 400);
  assert.is(replay.body.error, 'invalid_grant');
  assert.is(await status(app.accessToken), 401);
  assert.is((await refresh(tandem.url, app)).body.error, 'invalid_grant');
});

test('a code redeemed twice in the same moment leaves nothing that works', async () => {
  const person = await newAccount(tandem);
  const clientId = await register(tandem.url);
  const { verifier, challenge } = pkce();
  const decision = { workspaceId: person.session.workspace.id };
  const landed = await decide(new Browser(person), authorizeUrl(tandem.url, clientId, challenge), decision);
  const grant = { clientId, code: landed.searchParams.get('code') ?? '', verifier };
  const answers = await Promise.all([redeem(tandem.url, grant), redeem(elsewhere, grant)]);
  const lost = answers.filter((answer) => answer.status !== 200);
  assert.ok(lost.length > 0);
  for (const { body } of lost) assert.is(body.error, 'invalid_grant');
  for (const { body } of answers) if (body.access_token) assert.is(await status(body.access_token), 401);
});

test.run();
