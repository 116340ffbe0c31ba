import { closeChats } from '../chats/cancel.ts';
import type { Context } from '../context.ts';
import { recordErasure, todoParents } from '../events/changes.ts';
import type { NewEvent } from '../events/record.ts';
import { eraseNotifications } from '../notifications/changes.ts';
import { erasureOfContents, leftByTodo } from '../todos/archive.ts';
import { lockTodos } from '../todos/rows.ts';
import { recordCapture } from './events.ts';
import { notifyIntake } from './recording.ts';
import { answerOf, findCapture, requireCaptureMatch } from './rows.ts';
import type { CaptureAnswer } from './shapes.ts';
import { recordTagsOfErased } from './tags.ts';

const archive = `update captures set archived_at = now(), updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is null returning id`;
const restore = `update captures set archived_at = null, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 and archived_at is not null returning id`;

const linked = `select id, todo_list_id as "todoListId", parent_todo_id as "parentTodoId", is_suggested as "isSuggested",
    is_suggested and latest_run_id is null as quotes
  from todos where workspace_id = $1 and capture_id = $2 order by id`;
const detach = 'update chats set todo_id = null where workspace_id = $1 and todo_id = any($2::uuid[]) returning id';
const eraseTodos = 'delete from todos where workspace_id = $1 and id = any($2::uuid[])';
// A todo with runs stays, with its history, and is no longer a suggestion: a person had it run.
const unlink = `update todos set capture_id = null, is_suggested = false, updated_at = greatest(now(), updated_at),
  revision = revision + 1 where workspace_id = $1 and capture_id = $2 returning id, revision as version`;

/** For how long audio is removed again. What still writes it, also a large file to a slow store, has ended by then. */
export const audioRemovalMs = 60 * 60_000;

const removeAudio = `insert into audio_removals (workspace_id, recording_id, next_at, last_at)
  values ($1, $2, now(), now() + interval '${audioRemovalMs} milliseconds')`;
const erase = 'delete from captures where workspace_id = $1 and id = $2';

/** A todo that is linked to a capture. */
interface Linked {
  id: string;
  todoListId: string;
  parentTodoId: string | null;
  isSuggested: boolean;
  /** A suggestion that nobody accepted: it is erased. */
  quotes: boolean;
}

function eventOf({ id, isSuggested, quotes, ...todo }: Linked, captureId: string, version?: number): NewEvent {
  const parents = (named: string | null) => todoParents({ ...todo, captureId: named });
  if (quotes) return { type: 'todo.deleted', objectId: id, parents: parents(captureId) };
  const changedFields = ['captureId', ...(isSuggested ? ['isSuggested'] : [])];
  const change = { objectId: id, parents: parents(null), changedFields };
  return { ...change, type: 'todo.updated', ...(version !== undefined && { version }) };
}

/**
 * Unlinks a locked capture from its todos; suggestions that nobody accepted are erased, because they quote it. Returns
 * the events, for `recordErasure`.
 */
async function unlinkTodos(ctx: Context, captureId: string): Promise<NewEvent[]> {
  const { db } = ctx;
  const { workspaceId } = ctx.principal;
  const key = [workspaceId, captureId];
  const idsOf = async (text: string, ids: string[]) =>
    (await db.rows<{ id: string }>(text, [workspaceId, ids])).map(({ id }) => id);
  const before = await db.rows<Linked>(linked, key);
  await lockTodos(
    db,
    workspaceId,
    before.map(({ id }) => id),
  );
  const todos = await db.rows<Linked>(linked, key);
  const quoting = todos.filter(({ quotes }) => quotes).map(({ id }) => id);
  await closeChats(ctx, { workspaceId, todoIds: quoting });
  const left = await idsOf(detach, quoting);
  const contents = await erasureOfContents(db, workspaceId, quoting);
  await idsOf(eraseTodos, quoting);
  const notices = await eraseNotifications(db, workspaceId, 'todos', quoting);
  const unlinked = await db.rows<{ id: string; version: number }>(unlink, key);
  const versions = new Map(unlinked.map(({ id, version }) => [id, version]));
  return [
    ...left.map((id) => leftByTodo({ id })),
    ...contents,
    ...todos.map((todo) => eventOf(todo, captureId, versions.get(todo.id))),
    ...notices,
  ];
}

/**
 * Archives a capture (its recording or processing continues), or erases it when `permanent`: its texts and the
 * suggested todos that nobody accepted at once, its audio shortly after. @throws Failure 404, 412.
 */
export function deleteCapture(ctx: Context, { captureId, permanent }: { captureId: string; permanent: boolean }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const stored = await findCapture(db, workspaceId, captureId, permanent ? 'erase' : 'change');
    requireCaptureMatch(ctx.ifMatch, stored);
    const { id, recordingId } = stored.capture;
    const deleted = { object: 'deleted' as const, id, deleted: true as const };
    const capture = { workspaceId, captureId: id };
    if (!permanent) {
      const [archived] = await db.rows(archive, [workspaceId, id]);
      if (archived) await recordCapture(db, capture, 'capture.archived', ['isArchived']);
      return { ...deleted, recoverable: true };
    }
    const events = await unlinkTodos({ ...ctx, db }, id);
    if (recordingId !== null) {
      await db.rows(removeAudio, [workspaceId, recordingId]);
      notifyIntake(db, { recordingId });
    }
    await db.rows(erase, [workspaceId, id]);
    await recordTagsOfErased(db, capture, stored.capture.tags);
    await recordErasure(db, workspaceId, [...events, { type: 'capture.deleted', objectId: id }]);
    return { ...deleted, recoverable: false };
  });
}

/** Restores an archived capture; an active one stays unchanged. @throws Failure 404. */
export function restoreCapture(ctx: Context, { captureId }: { captureId: string }): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const [restored] = await db.rows(restore, [workspaceId, captureId]);
    if (restored) await recordCapture(db, { workspaceId, captureId }, 'capture.restored', ['isArchived']);
    return answerOf(ctx, await findCapture(db, workspaceId, captureId));
  });
}
