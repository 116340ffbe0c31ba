import type { Context } from '../commands/invocation.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes } from '../model/failure.ts';
import type { Client } from '../service/client.ts';
import { ask, canAsk } from '../terminal/interactive.ts';

/** The session that a sign-in opened. */
export interface OpenedSession {
  token: string;
  expiresAt: string;
}

interface Challenge {
  object: 'sign_in_challenge';
  token: string;
  methods: readonly string[];
}

/** The answer to a right password: a session, or a challenge of a person with a second factor. */
export type PasswordAnswer = (OpenedSession & { object: 'session' }) | Challenge;

const questions: Readonly<Record<string, string>> = {
  totp: 'Code of your authenticator app, or a recovery code: ',
  recovery_code: 'Recovery code: ',
};

/**
 * The session behind a password answer; prompts for a code where there is a second factor, or reads it from a line of
 * stdin. @throws CliFailure 3 when only a passkey would do, which needs a browser.
 */
export async function completeSignIn(
  { sources }: Pick<Context, 'sources'>,
  client: Client,
  operation: CatalogueOperation,
  answer: PasswordAnswer,
): Promise<OpenedSession> {
  if (answer.object === 'session') return answer;
  const question = answer.methods.map((method) => questions[method]).find(Boolean);
  if (question === undefined) {
    const hint = 'Sign in with the browser: tandem login --browser';
    throw new CliFailure(exitCodes.credentials, 'Your second factor is a passkey, which needs a browser.', [hint]);
  }
  const code = (canAsk() ? await ask(question, true) : await sources.line('the code of your second factor')).trim();
  const method = /^\d{3}\s?\d{3}$/.test(code) ? 'totp' : 'recovery_code';
  const { body } = await client.send(operation, { body: { token: answer.token, method, code } });
  return body as OpenedSession;
}
