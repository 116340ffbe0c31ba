import { Secret, TOTP } from 'otpauth';
import { Authenticator } from './authenticator.ts';
import type { Answer, CallOptions } from './harness.ts';
import { newAccount, type Person, password } from './people.ts';

/** Whoever calls the service: a test service, or the workspace of a test. */
interface Caller {
  call(route: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

/** The code of an authenticator app at an instant. */
export function codeAt(secret: string, at: Date | number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: Number(at) });
}

async function succeeds(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(text);
  return body;
}

/** A new person whose session may change how they sign in. */
export async function newConfirmedAccount(tandem: Caller): Promise<Person & { key: string }> {
  const person = await newAccount(tandem);
  const key = person.session.token;
  await succeeds(tandem.call('POST /auth/reauthentication', { method: 'password', password }, { key }));
  return { ...person, key };
}

/** Sets up an authenticator app, confirmed with the code of `at`. */
export async function addTotp(tandem: Caller, key: string, at: Date): Promise<{ secret: string; codes: string[] }> {
  const { secret } = await succeeds(tandem.call('POST /auth/second-factors/totp', {}, { key }));
  const code = codeAt(secret, at);
  const body = await succeeds(tandem.call('POST /auth/second-factors/totp/confirm', { code }, { key }));
  return { secret, codes: body.recoveryCodes?.codes ?? [] };
}

/** A device for the public address of the service. */
export async function newAuthenticator(tandem: Caller): Promise<Authenticator> {
  const { body } = await tandem.call('GET /');
  return new Authenticator(body.documentationUrl);
}

/** Adds a passkey on a new device. */
export async function addPasskey(tandem: Caller, key: string, name = 'Laptop') {
  const { options } = await succeeds(tandem.call('POST /auth/passkeys/options', {}, { key }));
  const device = await newAuthenticator(tandem);
  const credential = device.create(options);
  const { id, recoveryCodes } = await succeeds(tandem.call('POST /auth/passkeys', { name, credential }, { key }));
  return { device, id: id as string, codes: (recoveryCodes?.codes ?? []) as string[] };
}

/** The password step of a sign-in: a session, or a challenge for a second factor. */
export function enterPassword(tandem: Caller, email: string, more: object = {}): Promise<Answer> {
  return tandem.call('POST /auth/sessions', { email, password, ...more });
}
