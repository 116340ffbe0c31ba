import { Bindings } from '../../db/bindings.ts';
import type { Context } from '../base.ts';
import { invalid } from '../errors.ts';
import { firstLineOf } from './note-text.ts';
import { findCapture, requireCaptureMatch, type StoredCapture } from './rows.ts';
import { writeSearch } from './search.ts';
import type { CapturePatch } from './shapes.ts';
import { settleTags } from './tags.ts';
import { beginWork } from './work.ts';

/** How long a note is left in peace after a change of its text before it is summed up anew, in milliseconds. */
const quietMs = 30_000;

type Columns = Partial<
  Record<'title' | 'title_given' | 'content' | 'notes' | 'tags' | 'subtitle' | 'summary', unknown>
>;

/** Columns whose text is searched. */
const searched = ['title', 'content', 'notes', 'subtitle', 'summary'] as const;

/** @throws Failure 400: the words of a recording are not anybody's to change. */
function requireEditable({ capture }: StoredCapture, { content }: CapturePatch): void {
  if (capture.type === 'note' || content === undefined || content === null) return;
  const message = 'A recording has no content of its own. Write into notes instead; corrections go there too.';
  throw invalid('content', message);
}

/** The title of a capture after a patch: the one given, that which stays, or the first line of a note. */
function titleAfter({ capture, titleGiven }: StoredCapture, patch: CapturePatch, content: string | null) {
  if (typeof patch.title === 'string') return { title: patch.title, title_given: true };
  if (patch.title === undefined && titleGiven) return {};
  if (capture.type === 'note') return { title: firstLineOf(content), title_given: false };
  return patch.title === null ? { title: null, title_given: false } : {};
}

/** What a patch changes. A note with another text has no summary until one is made of that. */
function columnsOf(stored: StoredCapture, patch: CapturePatch, tags: string[]): Columns {
  const { capture, titleGiven } = stored;
  const { content = capture.content, notes = capture.notes } = patch;
  const rewritten = content !== capture.content && { content, subtitle: null, summary: null };
  const wanted: Columns = { ...titleAfter(stored, patch, content), ...rewritten, notes, tags };
  const now: Record<string, unknown> = { ...capture, title_given: titleGiven };
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(now[name]);
  return Object.fromEntries(Object.entries(wanted).filter(differs));
}

async function write({ db }: Pick<Context, 'db'>, workspaceId: string, captureId: string, columns: Columns) {
  const bindings = new Bindings();
  const key = `workspace_id = ${bindings.bind(workspaceId)} and id = ${bindings.bind(captureId)}`;
  const sets = Object.entries(columns).map(([name, value]) => `${name} = ${bindings.bind(value)}`);
  const text = `update captures set ${sets.join(', ')}, updated_at = greatest(now(), updated_at) where ${key}`;
  await db.rows(text, bindings.values);
  if (searched.some((name) => name in columns)) await writeSearch(db, { workspaceId, captureId });
}

/**
 * Changes a capture; what the patch omits stays. A note whose text changed is summed up anew after a while of quiet.
 * @throws Failure 400 `content` of a recording, 404, 412.
 */
export function updateCapture(
  { db, jobs, clock }: Pick<Context, 'db' | 'jobs' | 'clock'>,
  workspaceId: string,
  captureId: string,
  patch: CapturePatch,
  ifMatch?: readonly string[],
): Promise<StoredCapture> {
  return db.transaction(async (tx) => {
    const stored = await findCapture(tx, workspaceId, captureId, 'change');
    requireEditable(stored, patch);
    requireCaptureMatch(ifMatch, stored);
    const { id, tags: before } = stored.capture;
    const tags = patch.tags ? await settleTags(tx, workspaceId, patch.tags, before) : before;
    const columns = columnsOf(stored, patch, tags);
    if (Object.keys(columns).length === 0) return stored;
    await write({ db: tx }, workspaceId, id, columns);
    if ('content' in columns) {
      const after = new Date(clock().getTime() + quietMs).toISOString();
      await beginWork({ db: tx, jobs }, { workspaceId, captureId: id }, 'digest', after);
    }
    return findCapture(tx, workspaceId, id);
  });
}
