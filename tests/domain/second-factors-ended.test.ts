import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { addPasskey, addTotp, codeAt, newAuthenticator, newConfirmedAccount } from '../support/second-factors.ts';

/*
 * A session that is ended while it changes how its person signs in changes nothing: a stolen one would outlive its end.
 */

const test = suite('second factors and a session that is ended meanwhile');
const now = new Date();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { clock: () => now });
});
test.after.each(releaseAll);
test.after(() => tandem.close());

type Call = (route: string, body?: unknown) => Promise<Answer>;

/** A request that changes the second factors of a person, prepared by `call` so that it would succeed. */
const changes: Record<string, (call: Call, key: string) => Promise<() => Promise<Answer>>> = {
  'the setup of an app': async (call) => () => call('POST /auth/second-factors/totp', {}),
  'the first code of an app': async (call) => {
    const { secret } = (await call('POST /auth/second-factors/totp', {})).body;
    return () => call('POST /auth/second-factors/totp/confirm', { code: codeAt(secret, now) });
  },
  'the removal of an app': async (call, key) => {
    await addTotp(tandem, key, now);
    return () => call('DELETE /auth/second-factors/totp');
  },
  'new recovery codes': async (call, key) => {
    await addTotp(tandem, key, now);
    return () => call('POST /auth/second-factors/recovery-codes', {});
  },
  'a passkey': async (call) => {
    const { options } = (await call('POST /auth/passkeys/options', {})).body;
    const credential = (await newAuthenticator(tandem)).create(options);
    return () => call('POST /auth/passkeys', { name: 'Laptop', credential });
  },
  'the removal of a passkey': async (call, key) => {
    const { id } = await addPasskey(tandem, key);
    return () => call(`DELETE /auth/passkeys/${id}`);
  },
};

/** All that a person signs in with beside the password. */
const factorsOf = (userId: string) =>
  tandem.db.rows(
    `select encode(secret, 'hex') as what, confirmed_at as since from totp_secrets where user_id = $1
     union all select encode(public_key, 'hex'), created_at from passkeys where user_id = $1
     union all select encode(code_hash, 'hex'), used_at from recovery_codes where user_id = $1 order by what`,
    [userId],
  );

for (const [what, prepare] of Object.entries(changes)) {
  test(`${what} is refused when a reset ends the session first`, async () => {
    const { key, session } = await newConfirmedAccount(tandem);
    const userId = session.user.id;
    const change = await prepare((route, body) => tandem.call(route, body, { key }), key);
    const before = await factorsOf(userId);
    // A reset holds the person, and ends the sessions before it lets go.
    const held = await hold('select 1 from users where id = $1 for no key update', [userId]);
    const late = change();
    await untilBlocked('select id from users%for update', late);
    await tandem.db.rows('update credentials set revoked_at = now() where user_id = $1', [userId]);
    await held.release();
    const { status, body } = await late;
    assert.equal([status, body.code], [401, 'invalid_api_key']);
    assert.equal(await factorsOf(userId), before);
  });
}

test.run();
