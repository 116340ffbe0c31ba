import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Authenticator, type Quirks } from '../support/authenticator.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { addPasskey, enterPassword, newConfirmedAccount } from '../support/second-factors.ts';

/* A database of their own, in which every open challenge can be made to expire. */

const test = suite('passkeys');
let database: ScratchDatabase;
let tandem: TestService;
/** Another process at the same public address. */
let other: TestService;

test.before(async () => {
  database = await createServiceDatabase();
  tandem = await startTestService({ DATABASE_URL: database.url });
  other = await startTestService({ DATABASE_URL: database.url, PUBLIC_URL: tandem.url });
});
test.after(async () => {
  await tandem.close();
  await other.close();
  await database.drop();
});

async function withPasskey() {
  const person = await newConfirmedAccount(tandem);
  return { ...person, ...(await addPasskey(tandem, person.key)) };
}

async function optionsFor(token?: string) {
  const body = token === undefined ? {} : { token };
  return (await tandem.call('POST /auth/sessions/passkey-options', body)).body.options;
}

const enter = (credential: unknown, service = tandem) => service.call('POST /auth/sessions/passkey', { credential });

function isRefused({ status, body }: Answer, about: string): void {
  assert.equal([status, body.reason, body.param], [401, 'wrong_passkey', 'credential'], about);
}

test('a passkey is added by what the browser made, and gives recovery codes when it is the first factor', async () => {
  const { key, session } = await newConfirmedAccount(tandem);
  const { body, status } = await tandem.call('POST /auth/passkeys/options', {}, { key });
  assert.is(status, 200);
  const { options } = body;
  assert.equal(options.rp, { id: '127.0.0.1', name: 'Tandem' });
  assert.is(Buffer.from(options.user.id, 'base64url').toString(), session.user.id);
  assert.equal(options.authenticatorSelection, {
    residentKey: 'required',
    requireResidentKey: true,
    userVerification: 'required',
  });
  assert.is(Buffer.from(options.challenge, 'base64url').length, 32);
  const device = new Authenticator(tandem.url);
  const made = await tandem.call(
    'POST /auth/passkeys',
    { name: 'Laptop', credential: device.create(options) },
    { key },
  );
  assert.is(made.status, 201, made.text);
  const { recoveryCodes, ...passkey } = made.body;
  assert.is(recoveryCodes.codes.length, 10);
  const { body: list } = await tandem.call('GET /auth/passkeys', undefined, { key });
  assert.equal(list.data, [passkey]);
  assert.equal(passkey, {
    object: 'passkey',
    id: passkey.id,
    name: 'Laptop',
    isSynced: true,
    createdAt: passkey.createdAt,
    lastUsedAt: null,
  });
  const second = await addPasskey(tandem, key, 'Phone');
  assert.equal(second.codes, []);
  const { body: next } = await tandem.call('POST /auth/passkeys/options', {}, { key });
  assert.equal(
    next.options.excludeCredentials.map((each: { id: string }) => each.id),
    [device.id, second.device.id],
  );
});

test('a registration is refused unless it is fresh, of this session and of this site, with its user verified', async () => {
  const { key } = await newConfirmedAccount(tandem);
  const stranger = await newConfirmedAccount(tandem);
  const begin = async (by: string) => (await tandem.call('POST /auth/passkeys/options', {}, { key: by })).body.options;
  const add = async (credential: unknown) => {
    const { status, body } = await tandem.call('POST /auth/passkeys', { name: 'Laptop', credential }, { key });
    return [status, body.param];
  };
  const quirks: Record<string, Quirks> = {
    'another origin': { origin: 'https://evil.example' },
    'another relying party': { rpId: 'evil.example' },
    'an invented challenge': { challenge: 'q3V0b7Yl2nqk5m8zJtXw' },
    'another ceremony': { type: 'webauthn.get' },
    'no user verification': { isVerified: false },
    'an attestation with certificates': {
      format: 'packed',
      statement: new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(64)],
        ['x5c', [new Uint8Array(9)]],
      ]),
    },
    'an unknown attestation': { format: 'android-safetynet' },
  };
  for (const [about, quirk] of Object.entries(quirks)) {
    const device = new Authenticator(tandem.url);
    assert.equal(await add(device.create(await begin(key), quirk)), [400, 'credential'], about);
  }
  const device = new Authenticator(tandem.url);
  const foreign = device.create(await begin(stranger.key));
  assert.equal(await add(foreign), [400, 'credential'], 'of another session');
  const options = await begin(key);
  await tandem.db.rows('update webauthn_challenges set expires_at = now()', []);
  assert.equal(await add(device.create(options)), [400, 'credential'], 'expired');
  const fresh = device.create(await begin(key));
  assert.is((await add(fresh))[0], 201);
  assert.equal(await add(fresh), [400, 'credential'], 'used');
  assert.is((await add(device.create(await begin(key))))[0], 409, 'the same passkey again');
  const garbage = { ...fresh, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } };
  assert.equal(await add(garbage), [400, 'credential'], 'garbage');
});

test('a passkey alone signs in, without an address or a password', async () => {
  const { device, session, key, id } = await withPasskey();
  const options = await optionsFor();
  assert.equal([options.allowCredentials, options.userVerification], [[], 'required']);
  const { status, body, text } = await enter(device.get(options), other);
  assert.is(status, 201, text);
  assert.equal([body.object, body.user.id], ['session', session.user.id]);
  assert.is((await tandem.call('GET /me', undefined, { key: body.token })).status, 200);
  const { body: list } = await tandem.call('GET /auth/passkeys', undefined, { key });
  assert.is(list.data[0].id, id);
  assert.ok(list.data[0].lastUsedAt);
});

test('a sign-in with a passkey is refused unless it is fresh, of this site and verified', async () => {
  const { device } = await withPasskey();
  const quirks: Record<string, Quirks> = {
    'another origin': { origin: 'https://evil.example' },
    'another relying party': { rpId: 'evil.example' },
    'an invented challenge': { challenge: 'q3V0b7Yl2nqk5m8zJtXw' },
    'another ceremony': { type: 'webauthn.create' },
    'no user verification': { isVerified: false },
    'the handle of somebody else': { userHandle: Buffer.from(crypto.randomUUID()).toString('base64url') },
    'no handle': { userHandle: null },
  };
  for (const [about, quirk] of Object.entries(quirks))
    isRefused(await enter(device.get(await optionsFor(), quirk)), about);
  isRefused(await enter(new Authenticator(tandem.url).get(await optionsFor(), { userHandle: 'AAAA' })), 'unknown');
  const altered = device.get(await optionsFor());
  const [signature] = [altered.response.signature];
  altered.response.signature = `${signature.slice(0, -6)}${signature.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
  isRefused(await enter(altered), 'another signature');
  const options = await optionsFor();
  await tandem.db.rows('update webauthn_challenges set expires_at = now()', []);
  isRefused(await enter(device.get(options)), 'expired');
});

test('an answer to a challenge counts once, by whichever process', async () => {
  const { device } = await withPasskey();
  const credential = device.get(await optionsFor());
  const answers = await Promise.all([tandem, other, tandem, other].map((service) => enter(credential, service)));
  assert.equal(answers.map(({ status }) => status).sort(), [201, 401, 401, 401]);
});

test('a signature counter that does not grow is refused', async () => {
  const { device } = await withPasskey();
  device.counter = 5;
  assert.is((await enter(device.get(await optionsFor()))).status, 201);
  isRefused(await enter(device.get(await optionsFor())), 'the same counter');
  device.counter = 4;
  isRefused(await enter(device.get(await optionsFor())), 'an earlier counter');
  device.counter = 6;
  assert.is((await enter(device.get(await optionsFor()))).status, 201);
});

test('after the password a passkey is the second factor: of this person, for this sign-in', async () => {
  const { device, email, session } = await withPasskey();
  const stranger = await withPasskey();
  const { body: challenge } = await enterPassword(tandem, email);
  assert.equal(challenge.methods, ['passkey', 'recovery_code']);
  const { token } = challenge;
  const complete = (credential: unknown, of = token) =>
    tandem.call('POST /auth/sessions/complete', { token: of, method: 'passkey', credential });
  const options = await optionsFor(token);
  assert.equal(
    options.allowCredentials.map((each: { id: string }) => each.id),
    [device.id],
  );
  const foreign = await complete(stranger.device.get(options));
  assert.equal([foreign.status, foreign.body.reason], [401, 'wrong_second_factor']);
  const { body: later } = await enterPassword(tandem, email);
  const elsewhere = await complete(device.get(await optionsFor(later.token)));
  assert.is(elsewhere.body.reason, 'wrong_second_factor', 'made for another sign-in');
  isRefused(await enter(device.get(await optionsFor(token))), 'made for a second factor');
  const { status, body } = await complete(device.get(await optionsFor(token)));
  assert.equal([status, body.user?.id], [201, session.user.id]);
  const over = await tandem.call('POST /auth/sessions/passkey-options', { token });
  assert.equal([over.status, over.body.reason], [401, 'sign_in_ended']);
});

test('a passkey is renamed and deleted by its person; the last one takes the recovery codes with it', async () => {
  const { id, key, email, device } = await withPasskey();
  const stranger = await newConfirmedAccount(tandem);
  const path = `/auth/passkeys/${id}`;
  assert.is((await tandem.call(`PATCH ${path}`, { name: 'Mine' }, { key: stranger.key })).status, 404);
  assert.is((await tandem.call(`DELETE ${path}`, undefined, { key: stranger.key })).status, 404);
  assert.is((await tandem.call(`PATCH ${path}`, { name: 'Desk' }, { key })).body.name, 'Desk');
  const removed = await tandem.call(`DELETE ${path}`, undefined, { key });
  assert.equal(removed.body, { object: 'deleted', id, deleted: true, recoverable: false });
  isRefused(await enter(device.get(await optionsFor())), 'deleted');
  assert.is((await enterPassword(tandem, email)).body.object, 'session');
  const { body } = await tandem.call('GET /auth/second-factors', undefined, { key });
  assert.equal([body.isActive, body.recoveryCodes], [false, { remaining: 0, createdAt: null }]);
});

test('a person has at most twenty passkeys', async () => {
  const { key, session } = await withPasskey();
  await tandem.db.rows(
    `insert into passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, is_synced)
      select gen_random_uuid(), $1, 'p', uuid_send(gen_random_uuid()), '', 0, '{}', false from generate_series(1, 19)`,
    [session.user.id],
  );
  const { options } = (await tandem.call('POST /auth/passkeys/options', {}, { key })).body;
  const credential = new Authenticator(tandem.url).create(options);
  assert.is((await tandem.call('POST /auth/passkeys', { name: 'One more', credential }, { key })).status, 409);
});

test.run();
