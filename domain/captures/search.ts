import type { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { captures } from '../../db/schema/index.ts';
import type { CaptureRef } from '../jobs.ts';
import { mapSlices } from '../slices.ts';
import { folded } from '../text.ts';

type Texts = Pick<typeof captures.$inferSelect, 'title' | 'subtitle' | 'summary' | 'content' | 'transcript' | 'notes'>;

const read = `select c.title, c.subtitle, c.summary, c.content, c.transcript, c.notes from captures c
  where c.workspace_id = $1 and c.id = $2`;
const write = `insert into capture_search (workspace_id, capture_id, title, body, summary) values ($1, $2, $3, $4, $5)
  on conflict (workspace_id, capture_id) do update
    set title = excluded.title, body = excluded.body, summary = excluded.summary`;

function together(...texts: (string | null)[]): Promise<string> {
  return mapSlices(texts.filter((text) => text !== null).join('\n'), folded);
}

/**
 * Writes the searched text of a capture from its current columns. Call it in the transaction that changed a text of the
 * capture and so locked its row.
 */
export async function writeSearch(db: Db, { workspaceId, captureId }: CaptureRef): Promise<void> {
  const [texts] = await db.rows<Texts>(read, [workspaceId, captureId]);
  if (!texts) return;
  const { title, subtitle, summary, content, transcript, notes } = texts;
  const columns = [
    await together(title),
    await together(content, transcript, notes),
    await together(subtitle, summary),
  ];
  await db.rows(write, [workspaceId, captureId, ...columns]);
}

/** The conditions on `capture_search s` that hold where every term occurs, as a word or as part of one. */
export function termConditions(terms: readonly string[], bindings: Bindings): string[] {
  return terms.map((term) => {
    const pattern = bindings.bind(`%${term.replace(/[\\%_]/g, '\\$&')}%`);
    return `(s.title like ${pattern} or s.body like ${pattern} or s.summary like ${pattern})`;
  });
}

/** A common table expression `hits(capture_id)`: the hits of the trigram index, before any other filter. */
export function hitsOf(terms: readonly string[], bindings: Bindings): string {
  const where = ['s.workspace_id = $1', ...termConditions(terms, bindings)];
  return `hits as materialized (select s.capture_id from capture_search s where ${where.join(' and ')})`;
}
