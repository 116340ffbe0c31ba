import type { Db } from '../../db/client.ts';
import { lacksSecondFactor, validCredential } from '../../domain/access.ts';
import type { Principal } from '../../domain/context.ts';
import type { Scope } from '../../domain/scopes.ts';
import { type AdmissionRow, admissionOnCitus } from './admission-citus.ts';
import { admittedColumns, askedWithFound, counting } from './counting.ts';

/** The caller's minute after this request. */
export interface RateWindow {
  limit: number;
  remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  resetSeconds: number;
  /** False when the budget was spent before this request; it then cost nothing. */
  granted: boolean;
}

export interface Admission {
  principal: Principal | null;
  window: RateWindow;
}

/**
 * One request at the gate: the SHA-256 of its bearer if it sent a well-formed one, and of its client address, in
 * hexadecimal digits.
 */
export interface Caller {
  secretHash: string | null;
  addressHash: string;
}

/** A request that waits for its admission. */
export interface Asking extends Caller {
  admit: (admission: Admission) => void;
}

/*
 * Looks up the credentials of a batch of requests and counts them, in one statement. A request without a valid
 * credential counts for its client address; the tokens of a connected app share one budget. A refused request costs
 * nothing. `last_used_at` moves once a minute.
 * The look-ups are lateral (`offset 0` ensures it) and by ctid: as joins they were hashed over the whole table
 * wherever the statement had been planned on an empty database.
 */
export const admission = `${askedWithFound} (
      select *, ${lacksSecondFactor} as lacks_second_factor from credentials c
      where c.secret_hash = a.secret_hash and ${validCredential}
      offset 0
    ) c on true
  ), stale as materialized (
    select workspace_id, id from found where id is not null
      and (last_used_at is null or last_used_at < date_trunc('minute', now()))
  ), counted as (
    ${counting('found')}
    returning *
  ), touched as (
    update credentials set last_used_at = date_trunc('minute', now())
    where exists (select from stale) and ctid = any(array(
      select free.ctid from stale cross join lateral (
        select c.ctid from credentials c where c.workspace_id = stale.workspace_id and c.id = stale.id
          and (c.last_used_at is null or c.last_used_at < date_trunc('minute', now()))
        for update skip locked
      ) free))
  )
  select ${admittedColumns}
  from found f join counted k on k.bucket = f.bucket`;

function principalOf(row: AdmissionRow): Principal | null {
  if (row.id === null) return null;
  const { kind, workspaceId, userId, rateLimitPerMinute, expiresAt, lacksSecondFactor: lacks } = row;
  const scopes: ReadonlySet<Scope> = new Set(row.scopes);
  return {
    kind,
    credentialId: row.id,
    credentialName: row.name,
    ...(row.grantId !== null && { grantId: row.grantId }),
    workspaceId,
    userId,
    scopes,
    rateLimitPerMinute,
    expiresAt,
    ...(lacks && { lacksSecondFactor: true }),
  };
}

/**
 * Counts the requests of each caller in one statement, and admits them. `perAddress`: requests a minute for a client
 * address that shows no valid credential.
 */
export async function admitAll(db: Db, perAddress: number, asked: readonly Asking[][]): Promise<void> {
  const values = [
    asked.map((_, index) => index),
    asked.map(([first]) => first?.secretHash ?? null),
    asked.map(([first]) => first?.addressHash),
    asked.map((group) => group.length),
    perAddress,
  ];
  const onCitus = db.engine === 'citus' ? await admissionOnCitus(db, values) : undefined;
  const rows = onCitus ?? (await db.rows<AdmissionRow>(admission, values));
  const taken = new Map<string, number>();
  for (const row of rows) {
    const bucket = row.bucket.toString('base64');
    const principal = principalOf(row);
    for (const each of asked[row.asked] ?? []) {
      const place = (taken.get(bucket) ?? 0) + 1;
      taken.set(bucket, place);
      const granted = row.usedBefore + place <= row.used;
      const remaining = granted ? Math.max(0, row.quota - row.usedBefore - place) : 0;
      const window = { limit: row.quota, remaining, resetSeconds: row.resetSeconds, granted };
      each.admit({ principal, window });
    }
  }
}
