import { hash, type KeyObject } from 'node:crypto';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { pushSubscriptions } from '../../db/schema/index.ts';
import { holdCredential } from '../access.ts';
import type { Context } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { wholeList } from '../fields.ts';
import { decrypt, encrypt } from '../second-factors/encryption.ts';
import { type BrowserKeys, isPublicKey } from './encryption.ts';
import type { PushSubscriptionInput } from './shapes.ts';

/** Browsers of a person in a workspace; the oldest make room. */
const maxSubscriptions = 20;

type Row = Pick<typeof pushSubscriptions.$inferSelect, 'id' | 'client' | 'pushService' | 'createdAt'> & {
  isCurrent: boolean;
};

/** Where a browser gets messages, and with which keys: encrypted, as whoever has it could send to the browser. */
export interface Destination {
  endpoint: string;
  keys: BrowserKeys;
}

const columns = `id, client, push_service as "pushService", created_at as "createdAt"`;
const list = `select ${columns}, credential_id = $3 as "isCurrent" from push_subscriptions
  where workspace_id = $1 and user_id = $2 order by created_at desc, id desc`;
// Whoever used the browser before gets nothing there any more.
const removeOthers = `delete from push_subscriptions where endpoint_hash = $1 and user_id <> $2`;
const insert = `insert into push_subscriptions
    (workspace_id, id, user_id, credential_id, endpoint_hash, destination, push_service, client)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (workspace_id, endpoint_hash) do update set credential_id = excluded.credential_id, client = excluded.client
  returning id`;
// A session that ended by itself left it there, in whatever workspaces.
const takeOver = `update push_subscriptions set credential_id = $3
  where endpoint_hash = $1 and user_id = $2 and credential_id <> $3`;
const setDestination = `update push_subscriptions set destination = $3 where workspace_id = $1 and id = $2
  returning ${columns}, true as "isCurrent"`;
const removeOldest = `delete from push_subscriptions where workspace_id = $1 and id in (
  select id from push_subscriptions where workspace_id = $1 and user_id = $2 order by created_at desc, id desc offset $3)`;
const remove = `delete from push_subscriptions where workspace_id = $1 and user_id = $2 and id = $3 returning id`;
const move = `update push_subscriptions set credential_id = $3 where user_id = $1 and credential_id = $2`;
const removeOfSessions = `delete from push_subscriptions p using credentials c
  where p.user_id = $1 and c.user_id = $1 and c.id = p.credential_id and c.revoked_at is not null`;
const removeOfMember = 'delete from push_subscriptions where workspace_id = $1 and user_id = $2';

const ownerOf = (workspaceId: string, id: string) => `push_subscription ${workspaceId} ${id}`;

/** Where a subscription leads; null when it cannot be decrypted, as after the key was replaced. */
export function destinationOf(stored: Buffer, key: KeyObject, workspaceId: string, id: string): Destination | null {
  const bytes = decrypt(stored, key, ownerOf(workspaceId, id));
  if (bytes === null) return null;
  const { endpoint, p256dh, auth } = JSON.parse(bytes.toString()) as { endpoint: string; p256dh: string; auth: string };
  return { endpoint, keys: { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') } };
}

function answerOf(row: Row) {
  return { object: 'push_subscription' as const, ...row };
}

/** The browsers of the person that get notifications of this workspace, the newest first. */
export async function listPushSubscriptions({ db, principal, service }: Context) {
  const { workspaceId, userId, credentialId } = principal;
  const rows = await db.rows<Row>(list, [workspaceId, userId, credentialId]);
  return { ...wholeList(rows.map(answerOf)), applicationServerKey: service.push.vapid.publicKey };
}

/**
 * Adds the browser of the request, or changes it if it is there already. It belongs to the session and ends with it, as
 * do the person's subscriptions of this browser in other workspaces.
 * @throws Failure 400 for an address to which no request may be sent, and for invalid keys, 401 when the session ended.
 */
export async function addPushSubscription(ctx: Context, { endpoint, keys }: PushSubscriptionInput) {
  const { principal, service, client } = ctx;
  const { workspaceId, userId, credentialId } = principal;
  const refusal = service.webhooks.refusalOf(endpoint);
  if (refusal !== null) throw invalid('endpoint', `The endpoint ${refusal}.`);
  if (!isPublicKey(Buffer.from(keys.p256dh, 'base64url')))
    throw invalid('keys.p256dh', 'This is no public key of P-256. Pass what the browser returns.');
  if (Buffer.from(keys.auth, 'base64url').length !== 16)
    throw invalid('keys.auth', 'The secret must have 16 bytes. Pass what the browser returns.');
  const endpointHash = hash('sha256', endpoint, 'buffer');
  const text = Buffer.from(JSON.stringify({ endpoint, ...keys }));
  return ctx.db.transaction(async (tx) => {
    await holdCredential(tx, principal);
    await tx.rows(removeOthers, [endpointHash, userId]);
    await tx.rows(takeOver, [endpointHash, userId, credentialId]);
    const values = [endpointHash, Buffer.alloc(0), new URL(endpoint).hostname, client.name];
    const [added] = await tx.rows<{ id: string }>(insert, [workspaceId, newId(), userId, credentialId, ...values]);
    if (!added) throw new Error('A subscription was not returned');
    // Encrypted for its id, which is that of the row that was there.
    const destination = encrypt(text, service.push.key, ownerOf(workspaceId, added.id));
    const [row] = await tx.rows<Row>(setDestination, [workspaceId, added.id, destination]);
    await tx.rows(removeOldest, [workspaceId, userId, maxSubscriptions]);
    if (!row) throw new Error('A subscription is gone');
    return answerOf(row);
  });
}

/** Removes a browser of the person; what is on its way to it may still arrive. @throws Failure 404. */
export async function removePushSubscription(
  { db, principal }: Context,
  { pushSubscriptionId: id }: { pushSubscriptionId: string },
) {
  const removed = await db.rows(remove, [principal.workspaceId, principal.userId, id]);
  if (removed.length === 0) throw notFound('push subscription', 'pushSubscriptionId');
  return { object: 'deleted' as const, id, deleted: true as const, recoverable: false as const };
}

/** The session of a person is replaced by another one, in another workspace; its browser stays subscribed. */
export async function movePushSubscriptions(tx: Db, userId: string, from: string, to: string): Promise<void> {
  await tx.rows(move, [userId, from, to]);
}

/** Removes the browsers of a person whose sessions were ended. */
export async function removeEndedSubscriptions(db: Db, userId: string): Promise<void> {
  await db.rows(removeOfSessions, [userId]);
}

/**
 * Removes the browsers of a person who is no longer a member, and those of the sessions that ended with the membership:
 * if the person comes back, they get nothing.
 */
export async function removeSubscriptionsOfMember(tx: Db, workspaceId: string, userId: string): Promise<void> {
  await tx.rows(removeOfMember, [workspaceId, userId]);
  await removeEndedSubscriptions(tx, userId);
}
