import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestService } from './harness.ts';

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

/** A new account, signed in. */
export async function newAccount(tandem: TestService, more: Record<string, unknown> = {}): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`;
  const { status, body, text } = await tandem.call('POST /auth/accounts', { email, password, name: 'Ada', ...more });
  if (status !== 201) throw new Error(text);
  return { email, session: body };
}

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'tandem-people-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
