import type { Db } from '../../db/client.ts';
import { onCopies } from '../../db/engine/copies.ts';
import { endsTransaction, errorCode } from '../../db/errors.ts';
import { hasNoSecondFactor, validCredential } from '../../domain/access.ts';
import type { Principal } from '../../domain/context.ts';
import type { Scope } from '../../domain/scopes.ts';
import { admittedColumns, askedWithFound, counting } from './counting.ts';

/** A request of the batch with its credential, if it has a valid one, and its count. */
export interface AdmissionRow {
  asked: number;
  bucket: Buffer;
  quota: number;
  used: number;
  usedBefore: number;
  resetSeconds: number;
  id: string | null;
  kind: Principal['kind'];
  name: string;
  grantId: string | null;
  workspaceId: string;
  userId: string;
  scopes: Scope[];
  rateLimitPerMinute: number;
  expiresAt: string | null;
  lacksSecondFactor: boolean;
}

/*
 * The statement of `admission`, on tables of the coordinator of Citus alone: its copies of the credentials and members,
 * and the counts, which only it has. What a workspace requires is read for sessions alone, and the time of use is noted
 * after it.
 */

const admission = `${askedWithFound} (
      select *, kind = 'session' and ${hasNoSecondFactor} as lacks_second_factor,
        last_used_at is null or last_used_at < date_trunc('minute', now()) as is_stale
      from credentials c where c.secret_hash = a.secret_hash and ${validCredential}
      offset 0
    ) c on true
  ), counted as (
    ${counting('found')}
    returning *
  )
  select ${admittedColumns}, f.is_stale as "isStale"
  from found f join counted k on k.bucket = f.bucket`;

const requires = 'select 1 from workspaces where id = $1 and require_second_factor';

/**
 * One row of a reference table: it is changed on every node, so one at a time, in an order that all processes have.
 * When a node is lost it fails, and is left to the next request: workspaces of other nodes are served.
 */
const touch = `update credentials set last_used_at = date_trunc('minute', $3::timestamptz)
  where workspace_id = $1 and id = $2 and (last_used_at is null or last_used_at < date_trunc('minute', $3::timestamptz))`;

type Found = AdmissionRow & { isStale: boolean };

async function requiresSecondFactor(db: Db, found: readonly Found[]): Promise<Set<string>> {
  const ids = new Set(found.filter((each) => each.lacksSecondFactor).map((each) => each.workspaceId));
  const requiring = new Set<string>();
  for (const id of ids) if ((await db.rows(requires, [id])).length > 0) requiring.add(id);
  return requiring;
}

/** SQLSTATE. */
const undefinedTable = '42P01';

/** The text on the copies, by the connections that use it. */
const texts = new WeakMap<Db, string>();

async function count(db: Db, values: readonly unknown[]): Promise<Found[]> {
  let text = texts.get(db);
  if (text === undefined) {
    text = await onCopies((sent, given) => db.rows(sent, given), admission, ['credentials', 'members']);
    texts.set(db, text);
  }
  try {
    return await db.rows<Found>(text, values);
  } catch (error) {
    // The copies have other names when the tables were placed again.
    if (errorCode(error) === undefinedTable) texts.delete(db);
    throw error;
  }
}

/** The rows of `admission` for the same values. */
export async function admissionOnCitus(db: Db, values: readonly unknown[]): Promise<AdmissionRow[]> {
  const found = await count(db, values);
  const requiring = await requiresSecondFactor(db, found);
  const stale = found.filter((each) => each.isStale).toSorted((a, b) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1));
  const now = new Date().toISOString();
  for (const { workspaceId, id } of stale) {
    await db.rows(touch, [workspaceId, id, now]).catch((error: unknown) => {
      if (!endsTransaction(error)) throw error;
    });
  }
  return found.map(({ isStale: _, ...row }) => ({
    ...row,
    lacksSecondFactor: row.lacksSecondFactor && requiring.has(row.workspaceId),
  }));
}
