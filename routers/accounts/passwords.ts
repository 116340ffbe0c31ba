import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { hashPassword } from '../../db/passwords.ts';
import { invalid } from '../errors.ts';
import type { Letter } from '../mail.ts';
import { endOtherSessions } from './sessions.ts';

const minutes = 60;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

const remember = `insert into password_resets (token_hash, user_id, expires_at)
  select $1, id, now() + interval '${minutes} minutes' from users where lower(email) = lower($2)
    and (select count(*) from password_resets r where r.user_id = users.id and r.created_at > now() - interval '1 hour') < 5
  returning user_id`;
const use = `update password_resets set used_at = now()
  where token_hash = $1 and used_at is null and expires_at > now() returning user_id as "userId"`;
const spend = 'update password_resets set used_at = now() where user_id = $1 and used_at is null';
const set = 'update users set password_hash = $2 where id = $1';

/** The letter with a link to set a new password, if an account has this address (at most five an hour). */
export async function passwordResetLetter(db: Db, email: string, publicUrl: string): Promise<Letter | null> {
  const token = randomBytes(32).toString('base64url');
  const rows = await db.rows(remember, [sha256(token), email]);
  if (rows.length === 0) return null;
  const text = `Somebody asked to reset the password of your Tandem account.

To choose a new one, open this link within ${minutes} minutes:
${publicUrl}/reset-password#token=${token}

If it was not you, ignore this letter: your password stays as it is.
`;
  return { to: email, subject: 'Reset your Tandem password', text };
}

/** Sets the password of a person and ends every session but `keptId`. In a transaction. */
export async function setPassword(db: Db, userId: string, password: string, keptId: string | null): Promise<void> {
  await db.rows(set, [userId, await hashPassword(password)]);
  await db.rows(spend, [userId]);
  await endOtherSessions(db, userId, keptId);
}

/** Sets a new password by the token of a letter, once. Every session ends. @throws Failure 400 for a spent token. */
export function resetPassword(db: Db, token: string, password: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [reset] = await tx.rows<{ userId: string }>(use, [sha256(token)]);
    if (!reset) throw invalid('token', 'This link is spent or expired. Ask for a new one.');
    await setPassword(tx, reset.userId, password, null);
  });
}
