import type { Db } from '../db/client.ts';

/** A turn of an agent in a chat. */
export interface TurnRef {
  workspaceId: string;
  chatId: string;
  turnId: string;
}

/** A short text to be written about a resource: `id` is that of the chat, the skill or the todo. */
export interface DigestRef {
  kind: 'chat_title' | 'chat_subtitle' | 'skill_summary' | 'minutes_saved';
  workspaceId: string;
  id: string;
}

/** A capture to be processed. */
export interface CaptureRef {
  workspaceId: string;
  captureId: string;
}

/** Kinds of work that wake the workers when a row becomes due now. The rows of other kinds are found by polling. */
export type NotifiedWork = 'turns' | 'digests' | 'captures' | 'webhooks' | 'pushes';

/** The channel of NOTIFY on which the workers of all processes listen. The payload is a `NotifiedWork`. */
export const jobsChannel = 'tandem_jobs';

/**
 * SQL that wakes the workers once the transaction commits, for the select list of the statement that makes work due. The
 * row is the job: a notification that is lost only delays it until the next poll.
 */
export function wake(kind: NotifiedWork): string {
  return `pg_notify('${jobsChannel}', '${kind}')`;
}

/** The worker no longer holds the lease: its work was ended, cancelled, or claimed by another worker. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
  constructor() {
    super('The lease of this work is lost');
  }
}

// A digest that is being written may be written from what was there before this change: it starts again.
const insertDigest = `with added as (
    insert into digests (workspace_id, kind, subject_id, lease_until) values ($1, $2, $3, now())
    on conflict (workspace_id, kind, subject_id) do update set attempt = digests.attempt + 1, tries = 0, worker_id = null,
      lease_until = excluded.lease_until
    returning 1
  ) select ${wake('digests')} from added`;

/** Has a digest written after the transaction commits. */
export async function addDigest(tx: Db, { kind, workspaceId, id }: DigestRef): Promise<void> {
  await tx.rows(insertDigest, [workspaceId, kind, id]);
}
