import type { Db } from '../../db/client.ts';
import { readEvents } from '../events/read.ts';
import { LostLease } from '../jobs.ts';
import type { NotifyContext } from '../notifications/notify.ts';
import { scopes as allScopes, type Scope } from '../scopes.ts';
import { testType } from './deliveries.ts';
import { disableEndpoint } from './disable.ts';
import { ownerMayRead } from './rights.ts';
import { secretsIn } from './secrets.ts';
import { occurrenceBody } from './subscription-rows.ts';

/** An endpoint that a worker holds. `attempt` is the fence: it saves only while the row has the same number. */
export interface EndpointClaim {
  workspaceId: string;
  endpointId: string;
  attempt: number;
  ordered: boolean;
}

/** A delivery to be tried now. */
export interface Taken {
  deliveryId: string;
  eventId: string;
  type: string;
  sequence: string | null;
  /** The number of this try, from 1. */
  tries: number;
  createdAt: string;
  url: string;
  /** The stored secrets that sign it. */
  secrets: Buffer[];
  userId: string;
  credentialId: string | null;
  /** Of the key; a person in a session has all. */
  scopes: Scope[];
  /** It goes to a subscription of MCP. */
  isSubscription: boolean;
}

/** A subscription whose holder may read no more, or that was not refreshed. */
export interface Ended extends Pick<Taken, 'url' | 'secrets'> {
  isExpired: boolean;
}

type TakenRow = Omit<Taken, 'deliveryId' | 'secrets' | 'scopes'> & {
  deliveryId: string | null;
  secret: Buffer;
  previousSecret: Buffer | null;
  scopes: Scope[] | null;
  mayRead: boolean;
  isExpired: boolean;
};

// What a worker tries is excluded by its id; should the worker die, the lease on the endpoint ends, and the delivery is
// due still.
const pending = `d.workspace_id = $1 and d.endpoint_id = $2 and d.status = 'pending'`;
const isDue = `due_at < now() + interval '1 millisecond'`;
const due = `select d.id from webhook_deliveries d where ${pending} and d.${isDue} and d.id <> all($4::uuid[])
    order by d.due_at limit 1`;
/** The delivery of the endpoint `$2` of the workspace `$1` that is due first. */
export const firstDue = `select d.id, d.due_at from webhook_deliveries d where ${pending} order by d.due_at limit 1`;
/**
 * The deliveries that an ordered endpoint may get next: a test, which has no place in the order, and the next event.
 */
export const heads = `(select d.id, d.due_at from webhook_deliveries d where ${pending} and d.sequence is null
        order by d.due_at limit 1)
      union all
      (select d.id, d.due_at from webhook_deliveries d where ${pending} and d.sequence is not null
        order by d.sequence limit 1)`;
const head = `select h.id from (${heads}) h where h.${isDue} and h.id <> all($4::uuid[]) limit 1`;
const takeText = (next: string) => `with endpoint as (
    select e.*, ${ownerMayRead} as may_read, coalesce(e.expires_at <= now(), false) as is_expired from webhook_endpoints e
    where e.workspace_id = $1 and e.id = $2 and e.attempt = $3 and e.enabled
  ), taken as (
    update webhook_deliveries d set tries = d.tries + 1 from endpoint e
    where e.may_read and not e.is_expired and (e.paused_until is null or e.paused_until <= now())
      and d.workspace_id = $1 and d.id = (${next}) and d.status = 'pending'
    returning d.id, d.event_id, d.type, d.sequence, d.tries, d.created_at
  )
  select e.url, e.secret, case when e.previous_secret_expires_at > now() then e.previous_secret end as "previousSecret",
    e.user_id as "userId", e.credential_id as "credentialId", e.may_read as "mayRead",
    e.is_expired as "isExpired", e.subscription is not null as "isSubscription",
    coalesce((select c.scopes from credentials c where c.workspace_id = $1 and c.id = e.credential_id),
      (select a.scopes from connected_apps a where a.workspace_id = $1 and a.id = e.connected_app_id)) as scopes,
    t.id as "deliveryId", t.event_id as "eventId", t.type, t.sequence, t.tries,
    t.created_at as "createdAt"
  from endpoint e left join taken t on true`;
// Another member, who may read, may have become its owner meanwhile.
const holdEnded = `select 1 from webhook_endpoints e
  where e.workspace_id = $1 and e.id = $2 and e.attempt = $3 and not (${ownerMayRead})
  for no key update of e`;
const takeDue = takeText(due);
const takeHead = takeText(head);

/**
 * Takes the next delivery of an endpoint that is due, but none of `inProgress`; its rights are checked in the same
 * statement. Null when there is none, or while the endpoint is paused. When the rights of its owner have ended, the
 * endpoint is disabled; a subscription is returned as ended.
 * @throws LostLease when the endpoint was disabled, deleted or claimed by another worker.
 */
export async function takeDelivery(
  ctx: NotifyContext,
  claim: EndpointClaim,
  inProgress: readonly string[],
): Promise<Taken | Ended | null> {
  const { workspaceId, endpointId, attempt, ordered } = claim;
  const text = ordered ? takeHead : takeDue;
  const [row] = await ctx.db.rows<TakenRow>(text, [workspaceId, endpointId, attempt, inProgress]);
  if (!row) throw new LostLease();
  const { deliveryId, secret, previousSecret, scopes, mayRead, isExpired, ...taken } = row;
  const secrets = previousSecret ? [secret, ...secretsIn(previousSecret, secret.length)] : [secret];
  if (row.isSubscription && (isExpired || !mayRead)) return { url: row.url, secrets, isExpired };
  if (!mayRead) {
    await ctx.db.transaction(async (tx) => {
      const ended = await tx.rows(holdEnded, [workspaceId, endpointId, attempt]);
      if (ended.length > 0) await disableEndpoint({ ...ctx, db: tx }, claim, 'rights_ended');
    });
    throw new LostLease();
  }
  if (deliveryId === null) return null;
  return { ...taken, deliveryId, secrets, scopes: scopes ?? [] };
}

const untake = `update webhook_deliveries set tries = tries - 1
  where workspace_id = $1 and id = $2 and status = 'pending' and tries = $3`;

/** Puts a delivery back that was not tried: it is due as before, and the try does not count. */
export async function returnDelivery(
  db: Db,
  { workspaceId }: EndpointClaim,
  { deliveryId, tries }: Taken,
): Promise<void> {
  await db.rows(untake, [workspaceId, deliveryId, tries]);
}

/** The body of a delivery: the event. Null when it is no longer kept, or its owner may not read it. */
export async function bodyOf(db: Db, claim: EndpointClaim, taken: Taken): Promise<string | null> {
  const { workspaceId } = claim;
  const { sequence, eventId, userId, credentialId, scopes, isSubscription } = taken;
  if (sequence === null) return JSON.stringify(testEvent(claim, taken));
  const isOfPerson = credentialId === null && !isSubscription;
  const kind = isOfPerson ? ('session' as const) : ('api_key' as const);
  const reader = { kind, userId, scopes: new Set(isOfPerson ? allScopes : scopes) };
  const { events } = await readEvents(db, { workspaceId, after: Number(sequence) - 1, limit: 1, reader });
  const [event] = events;
  if (event?.id !== eventId) return null;
  return isSubscription ? occurrenceBody(db, claim, taken.deliveryId, event) : JSON.stringify(event);
}

/** A test has the shape of an event, and a sequence that no event has. */
function testEvent({ workspaceId, endpointId }: EndpointClaim, { eventId, userId, createdAt }: Taken) {
  return {
    object: 'event',
    id: eventId,
    type: testType,
    sequence: 0,
    occurredAt: createdAt,
    workspaceId,
    actor: { type: 'user', id: userId, name: null, credentialId: null, via: 'rest' },
    requestId: null,
    data: { object: 'webhook_endpoint', id: endpointId, parents: {}, changedFields: [], version: null },
  };
}
