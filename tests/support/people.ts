import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestService } from './harness.ts';
import { answered, until } from './until.ts';

export const password = 'correct horse battery staple';

export interface Person {
  email: string;
  /** The answer of the sign-up. */
  session: {
    id: string;
    token: string;
    expiresAt: string;
    user: { id: string };
    workspace: { id: string };
  };
}

/**
 * A new account, signed in. On a machine without a processor to spare a new service may not reach its database in time.
 */
export async function newAccount(
  tandem: Pick<TestService, 'call'>,
  more: Record<string, unknown> = {},
): Promise<Person> {
  let email = '';
  const { status, body, text } = await answered(() => {
    email = `${crypto.randomUUID()}@example.com`;
    return tandem.call('POST /auth/accounts', { email, password, name: 'Ada', ...more });
  });
  if (status !== 201) throw new Error(text);
  return { email, session: body };
}

/** Calls the API as another client of the same person. */
export function callsOf(tandem: Pick<TestService, 'call'>, { session }: Person) {
  return (request: string, body?: unknown) => tandem.call(request, body, { key: session.token });
}

/** Makes a person a member of a workspace, and returns the token of their session there. */
export async function joinedSession(
  tandem: Pick<TestService, 'call' | 'db'>,
  { session }: Person,
  workspaceId: string,
): Promise<string> {
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await tandem.db.rows(join, [workspaceId, session.user.id]);
  const route = 'POST /auth/sessions/current/workspace';
  const { status, body, text } = await tandem.call(route, { workspaceId }, { key: session.token });
  if (status !== 201) throw new Error(text);
  return body.token as string;
}

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'tandem-people-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * The token in the newest email to an address, once it lies in the outbox of `directory`; `about` begins its subject.
 */
export async function tokenInEmail(directory: string, email: string, about = ''): Promise<string> {
  let token: string | undefined;
  const isThere = async () => {
    const lines = await readFile(join(directory, 'outbox.jsonl'), 'utf8').catch(() => '');
    // The last one may still be written.
    const emails = lines
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    const found = emails.findLast((each) => each.to === email && each.subject.startsWith(about));
    if (found) token = /#token=([\w-]+)/.exec(found.text)?.[1] ?? '';
    return token !== undefined;
  };
  await until(isThere, () => `an email to ${email}`);
  return token ?? '';
}
