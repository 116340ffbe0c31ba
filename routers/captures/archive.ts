import type { Db } from '../../db/client.ts';
import { closeChats } from '../chats/close.ts';
import type { World } from '../chats/turns.ts';
import { lockTodos } from '../todos/rows.ts';
import { tellIntake } from './recording-news.ts';
import { findCapture, requireCaptureMatch, type StoredCapture } from './rows.ts';

const archive = `update captures set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is null`;
const restore = `update captures set archived_at = null, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is not null`;

const linked = 'select id from todos where workspace_id = $1 and capture_id = $2';
const suggestions = `select id from todos where workspace_id = $1 and capture_id = $2
  and is_suggested and latest_run_id is null`;
const detach = 'update chats set todo_id = null where workspace_id = $1 and todo_id = any($2::uuid[])';
const eraseTodos = 'delete from todos where workspace_id = $1 and id = any($2::uuid[])';
// What an agent has run stays on record, and somebody had it run: it is no mere suggestion any more.
const unlink = `update todos set capture_id = null, is_suggested = false, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and capture_id = $2`;

/** A connection that still writes audio has noticed by `last_at`: what it left is removed once more then. */
const removeAudio = `insert into audio_removals (workspace_id, recording_id, next_at, last_at)
  values ($1, $2, now(), now() + interval '1 minute')`;
const erase = 'delete from captures where workspace_id = $1 and id = $2';

/** Takes a capture, whose row is locked, off the todos: those that nobody accepted go, as they quote it. */
async function takeOffTodos(world: World, workspaceId: string, captureId: string): Promise<void> {
  const { db } = world;
  const key = [workspaceId, captureId];
  const idsOf = async (text: string) => (await db.rows<{ id: string }>(text, key)).map(({ id }) => id);
  await lockTodos(db, workspaceId, await idsOf(linked));
  const quoting = await idsOf(suggestions);
  await closeChats(world, workspaceId, quoting);
  await db.rows(detach, [workspaceId, quoting]);
  await db.rows(eraseTodos, [workspaceId, quoting]);
  await db.rows(unlink, key);
}

/**
 * Archives a capture, whose recording or processing goes on, or erases it when `permanent`: its texts at once, with the
 * todos that quote it and that nobody accepted; its audio shortly after. @throws Failure 404, 412.
 */
export function deleteCapture(
  world: World,
  workspaceId: string,
  captureId: string,
  permanent: boolean,
  ifMatch?: readonly string[],
) {
  return world.db.transaction(async (db) => {
    const stored = await findCapture(db, workspaceId, captureId, permanent ? 'erase' : 'change');
    requireCaptureMatch(ifMatch, stored);
    const { id, recordingId } = stored.capture;
    const deleted = { object: 'deleted' as const, id, deleted: true as const };
    if (!permanent) {
      await db.rows(archive, [workspaceId, id]);
      return { ...deleted, recoverable: true };
    }
    await takeOffTodos({ ...world, db }, workspaceId, id);
    if (recordingId !== null) {
      await db.rows(removeAudio, [workspaceId, recordingId]);
      await tellIntake(db, { recordingId });
    }
    await db.rows(erase, [workspaceId, id]);
    return { ...deleted, recoverable: false };
  });
}

/** Brings an archived capture back; one that is active stays as it is. @throws Failure 404. */
export async function restoreCapture(db: Db, workspaceId: string, captureId: string): Promise<StoredCapture> {
  await db.rows(restore, [workspaceId, captureId]);
  return findCapture(db, workspaceId, captureId);
}
