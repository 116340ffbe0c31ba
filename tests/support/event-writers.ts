import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import type { Database } from '../../db/client.ts';
import { recordEvents } from '../../domain/events/record.ts';
import { originOf } from './event-fixtures.ts';

/** One transaction of a writer: when its commit was sent and when that was acknowledged, in ms since 1970. */
export interface Commit {
  ids: string[];
  sentAt: number;
  doneAt: number;
}

export interface Writing {
  workspaceId: string;
  userId: string;
  /** A table of the proof that gets the same ids in the same transaction. */
  ledger: string;
  transactions: number;
  /** The longest pause between the insert and the commit. */
  maxPauseMs: number;
}

const now = () => performance.timeOrigin + performance.now();

/** Writes transactions of one to three events, one after another; returns what was acknowledged. */
export async function write(db: Database, writing: Writing, onCommit = (_: Commit) => {}): Promise<Commit[]> {
  const { workspaceId, userId, ledger, transactions, maxPauseMs } = writing;
  const commits: Commit[] = [];
  const insert = `insert into ${ledger} (id, transaction) select id, pg_current_xact_id() from unnest($1::uuid[]) id`;
  for (let made = 0; made < transactions; made++) {
    const ids = Array.from({ length: 1 + (made % 3) }, () => newId());
    let sentAt = 0;
    await db.as(originOf(userId)).transaction(async (tx) => {
      await tx.rows(insert, [ids]);
      await recordEvents(
        tx,
        workspaceId,
        ids.map((objectId) => ({ type: 'todo.created', objectId })),
      );
      if (maxPauseMs > 0) await sleep(Math.random() * maxPauseMs);
      sentAt = now();
    });
    const commit = { ids, sentAt, doneAt: now() };
    commits.push(commit);
    onCommit(commit);
  }
  return commits;
}
