import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { recordPatch } from './events.ts';
import { firstLineOf } from './note-text.ts';
import { answerOf, findCapture, requireCaptureMatch, type StoredCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import type { CaptureAnswer, CapturePatch } from './shapes.ts';
import { settleTags } from './tags.ts';
import { beginWork } from './work.ts';

/** A changed note is summarized again after so long without another change. */
const summaryDelayMs = 30_000;

type Columns = Partial<
  Record<'title' | 'title_given' | 'content' | 'notes' | 'tags' | 'subtitle' | 'summary', unknown>
>;

/** Columns whose text is searched. */
const searched = ['title', 'content', 'notes', 'subtitle', 'summary'] as const;

/** @throws Failure 400: the transcript of a recording cannot be changed. */
function requireEditable({ capture }: StoredCapture, { content }: CapturePatch): void {
  if (capture.type === 'note' || content === undefined || content === null) return;
  const message = 'A recording has no content. Write into notes instead, also for corrections.';
  throw invalid('content', message);
}

/** The title of a capture after a patch: the one given, that which stays, or the first line of a note. */
function titleAfter({ capture, titleGiven }: StoredCapture, patch: CapturePatch, content: string | null) {
  if (typeof patch.title === 'string') return { title: patch.title, title_given: true };
  if (patch.title === undefined && (titleGiven || content === capture.content)) return {};
  if (capture.type === 'note') return { title: firstLineOf(content), title_given: false };
  return patch.title === null ? { title: null, title_given: false } : {};
}

/** The columns that a patch changes. A note with a new text has no summary until one is written. */
function columnsOf(stored: StoredCapture, patch: CapturePatch, tags: string[]): Columns {
  const { capture, titleGiven } = stored;
  const { content = capture.content, notes = capture.notes } = patch;
  const rewritten = content !== capture.content && { content, subtitle: null, summary: null };
  const wanted: Columns = { ...titleAfter(stored, patch, content), ...rewritten, notes, tags };
  const current: Record<string, unknown> = { ...capture, title_given: titleGiven };
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(current[name]);
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}

async function write(db: Db, workspaceId: string, captureId: string, columns: Columns) {
  const bindings = new Bindings();
  const key = `workspace_id = ${bindings.bind(workspaceId)} and id = ${bindings.bind(captureId)}`;
  const sets = Object.entries(columns).map(([name, value]) => `${name} = ${bindings.bind(value)}`);
  const text = `update captures set ${sets.join(', ')}, updated_at = greatest(now(), updated_at) where ${key}`;
  await db.rows(text, bindings.values);
  if (searched.some((name) => name in columns)) await writeSearch(db, { workspaceId, captureId });
}

/**
 * Changes a capture; omitted fields stay unchanged. A note whose text changed is summarized again half a minute later.
 * @throws Failure 400 `content` of a recording, 404, 412.
 */
export function updateCapture(
  ctx: Context,
  { captureId, ...patch }: CapturePatch & { captureId: string },
): Promise<CaptureAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (db) => {
    const stored = await findCapture(db, workspaceId, captureId, 'change');
    requireEditable(stored, patch);
    requireCaptureMatch(ctx.ifMatch, stored);
    const { id, tags: before } = stored.capture;
    const tags = patch.tags ? await settleTags(db, { workspaceId, captureId: id }, patch.tags, before) : before;
    const columns = columnsOf(stored, patch, tags);
    if (Object.keys(columns).length === 0) return answerOf(ctx, stored);
    await write(db, workspaceId, id, columns);
    if ('content' in columns) {
      const after = new Date(ctx.clock().getTime() + summaryDelayMs).toISOString();
      await beginWork({ ...ctx, db }, { workspaceId, captureId: id }, 'digest', after);
    }
    const after = await findCapture(db, workspaceId, id);
    await recordPatch(db, workspaceId, stored, after);
    return answerOf(ctx, after);
  });
}
