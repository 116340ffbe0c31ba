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
 * Wakes the workers of all processes, once the transaction has committed that makes work due. The row is the job: a
 * notification that is lost only delays it until the next poll.
 */
export function wake(db: Pick<Db, 'notify'>, kind: NotifiedWork): void {
  db.notify(jobsChannel, kind);
}

/** The worker no longer holds the lease: its work was ended, cancelled, or claimed by another worker. */
export class LostLease extends Error {
  override readonly name = 'LostLease';
  constructor() {
    super('The lease of this work is lost');
  }
}

/**
 * SQL that queues a digest, for a statement that makes a change: the values of the row, and the condition under which
 * there is one.
 */
export function addingDigest(workspace: string, kind: string, subject: string, from = ''): string {
  // A digest that is being written may be based on the text before this change: it starts again.
  return `insert into digests (workspace_id, kind, subject_id, lease_until) select ${workspace}, ${kind}, ${subject}, now() ${from}
    on conflict (workspace_id, kind, subject_id) do update set attempt = digests.attempt + 1, tries = 0, worker_id = null,
      lease_until = excluded.lease_until`;
}

const insertDigest = addingDigest('$1', '$2', '$3');

/** Has a digest written after the transaction commits. */
export async function addDigest(tx: Db, { kind, workspaceId, id }: DigestRef): Promise<void> {
  await tx.rows(insertDigest, [workspaceId, kind, id]);
  wake(tx, 'digests');
}
