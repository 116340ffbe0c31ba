import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { webhookAttempts } from '../../db/schema/index.ts';
import { LostLease, wake } from '../jobs.ts';
import type { NotifyContext } from '../notifications/notify.ts';
import { type DisabledReason, disableEndpoint } from './disable.ts';
import { type EndpointClaim, firstDue, heads, type Taken } from './sending.ts';

/** What came of a try. Null: it could not be sent, because its event is no longer there for its owner. */
export type Attempt = Omit<typeof webhookAttempts.$inferSelect, 'workspaceId' | 'deliveryId' | 'id'>;

/** What a try means for its delivery and its endpoint. `retry` and `pause` are in seconds from now. */
export type Verdict =
  | { status: 'delivered' }
  | { status: 'failed' | 'cancelled'; pause: number | null; disable: DisabledReason | null }
  | { status: 'pending'; retry: number; pause: number | null; disable: DisabledReason | null };

/** The failures of an endpoint before a try. */
export interface Failures {
  count: number;
  /** How long it has failed, in milliseconds. */
  forMs: number;
}

const hold = `select url, failures as count, coalesce(extract(epoch from now() - failing_since), 0)::float8 * 1000 as "forMs"
  from webhook_endpoints where workspace_id = $1 and id = $2 and attempt = $3 and enabled for no key update`;
const insertAttempt = `insert into webhook_attempts (workspace_id, delivery_id, id, url, request_headers, request_body,
    status, response_headers, response_body, error, duration_ms, sent_at)
  select $1, $2, $3, a.url, a."requestHeaders", a."requestBody", a.status, a."responseHeaders", a."responseBody", a.error,
    a."durationMs", a."sentAt"
  from jsonb_to_record($4::jsonb) as a(url text, "requestHeaders" jsonb, "requestBody" text, status int,
    "responseHeaders" jsonb, "responseBody" text, error text, "durationMs" int, "sentAt" timestamptz)`;
// A delivery that was sent again during the try has another number of tries: it stays due.
const end = `update webhook_deliveries set status = $3,
    due_at = now() + make_interval(secs => $4::float8), ended_at = case when $3 = 'pending' then null else now() end
  where workspace_id = $1 and id = $2 and status = 'pending' and tries = $5`;
const succeed = `update webhook_endpoints set failing_since = null, failures = 0, paused_until = null
  where workspace_id = $1 and id = $2 and failures > 0`;
const fail = `update webhook_endpoints set failing_since = coalesce(failing_since, now()), failures = failures + 1,
    paused_until = now() + make_interval(secs => $3::float8)
  where workspace_id = $1 and id = $2`;

/** A try that failed at an address which the endpoint left meanwhile says nothing of the one it has now. */
const elsewhere: Verdict = { status: 'pending', retry: 0, pause: null, disable: null };

/**
 * Saves what came of a try, and what follows from it: `judge` says what, by the failures of the endpoint so far.
 * @throws LostLease when the endpoint was disabled, deleted or claimed by another worker: nothing is saved then.
 */
export async function saveAttempt(
  ctx: NotifyContext,
  claim: EndpointClaim,
  { deliveryId, tries, url }: Taken,
  attempt: Attempt | null,
  judge: (failures: Failures) => Verdict,
): Promise<Verdict> {
  const { workspaceId, endpointId } = claim;
  return ctx.db.transaction(async (tx) => {
    const [held] = await tx.rows<Failures & { url: string }>(hold, [workspaceId, endpointId, claim.attempt]);
    if (!held) throw new LostLease();
    const isMoved = held.url !== url;
    const judged = judge(held);
    const verdict = isMoved && attempt && judged.status !== 'delivered' ? elsewhere : judged;
    if (attempt) await tx.rows(insertAttempt, [workspaceId, deliveryId, newId(), JSON.stringify(attempt)]);
    const retry = verdict.status === 'pending' ? verdict.retry : null;
    await tx.rows(end, [workspaceId, deliveryId, verdict.status, retry, tries]);
    if (verdict.status === 'delivered') await tx.rows(succeed, [workspaceId, endpointId]);
    else if (attempt && !isMoved) await tx.rows(fail, [workspaceId, endpointId, verdict.pause]);
    if (verdict.status !== 'delivered' && verdict.disable !== null) {
      await disableEndpoint({ ...ctx, db: tx }, claim, verdict.disable);
    }
    return verdict;
  });
}

const holdClaim = `select ordered from webhook_endpoints
  where workspace_id = $1 and id = $2 and attempt = $3 and is_leased for no key update`;
// `now()` is when the transaction began: what was made while it waited for the lock is due later.
const giveBack = (
  candidates: string,
) => `with next as (select min(c.due_at) as due_at from (${candidates}) c), given as (
    update webhook_endpoints e set is_leased = false,
      due_at = greatest(n.due_at, case when n.due_at is not null then e.paused_until end)
    from next n where e.workspace_id = $1 and e.id = $2 returning e.due_at
  ) select 1 from given where due_at < clock_timestamp() + interval '1 millisecond'`;
const giveBackAny = giveBack(firstDue);
const giveBackOrdered = giveBack(heads);

/**
 * Gives an endpoint back, due when its next delivery is, and wakes a worker when that is now. What was made meanwhile
 * is seen, because code that makes deliveries holds the endpoint: the lock comes first. Does nothing when the lease was
 * lost.
 */
export async function giveBackEndpoint(db: Db, { workspaceId, endpointId, attempt }: EndpointClaim): Promise<void> {
  await db.transaction(async (tx) => {
    const [held] = await tx.rows<{ ordered: boolean }>(holdClaim, [workspaceId, endpointId, attempt]);
    if (!held) return;
    const due = await tx.rows(held.ordered ? giveBackOrdered : giveBackAny, [workspaceId, endpointId]);
    if (due.length > 0) wake(tx, 'webhooks');
  });
}
