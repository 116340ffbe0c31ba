import type { EngineName } from '../db/engine/index.ts';

/** Rows that one statement deletes at most. */
export const maxBatch = 5000;

/** Rows of a table that have expired: those `where` holds for, and `unused`, which may read other tables. */
interface Expired {
  table: string;
  key: string;
  where: string;
  unused?: string;
  /** Saves what is kept of them, before they are deleted. */
  before?: string;
}

const expired: Expired[] = [
  { table: 'password_resets', key: 'token_hash', where: `expires_at < now() - interval '1 day'` },
  { table: 'email_verifications', key: 'token_hash', where: `expires_at < now() - interval '1 day'` },
  {
    table: 'sign_in_attempts',
    key: 'account, address',
    where: `(greatest(window_start, coalesce(trusted_at, window_start)) < now() - interval '90 days'
      or (trusted_at is null and window_start < now() - interval '1 day'))`,
  },
  {
    table: 'totp_secrets',
    key: 'user_id',
    where: `confirmed_at is null and created_at < now() - interval '1 day'`,
  },
  { table: 'webauthn_challenges', key: 'challenge_hash', where: 'expires_at < now()' },
  { table: 'sign_in_challenges', key: 'token_hash', where: 'expires_at < now()' },
  { table: 'recent_authentications', key: 'credential_id', where: `authenticated_at < now() - interval '1 day'` },
  {
    table: 'credentials',
    key: 'workspace_id, id',
    where: `kind = 'oauth' and expires_at < now() - interval '1 day'`,
    // The last use of an app is kept longer than its access tokens.
    before: `update connected_apps a set last_used_at = used.at from (
        select workspace_id, connected_app_id, max(last_used_at) as at from credentials
        where kind = 'oauth' and expires_at < now() - interval '1 day' group by 1, 2
      ) used
      where a.workspace_id = used.workspace_id and a.id = used.connected_app_id
        and used.at > coalesce(a.last_used_at, '-infinity')`,
  },
  { table: 'oauth_artifacts', key: 'hash', where: `expires_at < now() - interval '1 hour'` },
  {
    table: 'connected_apps',
    key: 'workspace_id, id',
    where: `connected_at is null and created_at < now() - interval '1 hour'`,
  },
  {
    table: 'oauth_artifacts',
    key: 'hash',
    where: `model = 'Client' and created_at < now() - interval '1 day'`,
    unused: `not exists (
      select 1 from connected_apps a where a.client_id = oauth_artifacts.payload ->> 'client_id')`,
  },
  { table: 'heartbeats', key: 'id', where: `beat_at < now() - interval '1 day'` },
  { table: 'rate_windows', key: 'bucket', where: `window_start < now() - interval '1 hour'` },
];

/**
 * The delete checks again whether the row has expired: another transaction may have renewed it while the statement
 * waited for that transaction.
 */
const deletionOf = ({ table, key, where, unused = 'true' }: Expired) => `delete from ${table} where (${key}) in (
    select ${key} from ${table} where ${where} and ${unused} limit ${maxBatch}) and ${where}`;

/**
 * For each table, the statement that deletes up to `maxBatch` expired rows and, before that, saves what is kept of
 * them. The texts are without `returning`.
 */
export const expiredDeletions: readonly (readonly string[])[] = expired.map((each) =>
  each.before === undefined ? [deletionOf(each)] : [each.before, deletionOf(each)],
);

const keyIsOld = `created_at < now() - interval '24 hours'`;
const keyOfKeys = 'workspace_id, credential_id, operation, path, key';
const oldest = (columns: string) => `select ${columns} from idempotency_keys
      where ${keyIsOld} and created_at >= $1 order by created_at limit ${maxBatch}`;

/**
 * Deletes the oldest expired keys from $1 on, by their physical places. These are right because the rows are locked;
 * rows that others have locked are left for the next sweep. Not on Citus: there a place is one within a shard, and rows
 * of several shards are not locked together.
 */
export const keyDeletions: Record<EngineName, string> = {
  postgres: `delete from idempotency_keys where ctid = any(array(${oldest('ctid')} for update skip locked))`,
  citus: `delete from idempotency_keys where (${keyOfKeys}) in (${oldest(keyOfKeys)}) and ${keyIsOld}`,
};
