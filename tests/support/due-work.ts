import type { Db } from '../../db/client.ts';
import type { DigestRef, TurnRef } from '../../domain/jobs.ts';

/* The work that lies in a database on which no worker runs. */

/** A turn that a worker may claim, at once or at `after`. */
export interface DueTurn extends TurnRef {
  after: string | null;
}

const turns = `select workspace_id as "workspaceId", chat_id as "chatId", id as "turnId", not_before as after from chat_turns
  where ended_at is null and lease_until is not null and worker_id is null order by id`;

/** All turns that workers may claim, in the order in which they were started. */
export function dueTurns({ db }: { db: Db }): Promise<DueTurn[]> {
  return db.rows<DueTurn>(turns, []);
}

const digests = `select kind, workspace_id as "workspaceId", subject_id as id from digests where subject_id = $1 order by kind`;

/** The digests of a chat, a skill or a todo that are to be written. */
export function dueDigests({ db }: { db: Db }, id: string): Promise<DigestRef[]> {
  return db.rows<DigestRef>(digests, [id]);
}
