import type { Db } from '../../db/client.ts';
import type { Reply } from '../context.ts';
import type { TodoRow } from './rows.ts';

/** Bytes of contents that one page of todos has, unless the first of them alone has more. */
export const maxPageBytes = 8 * 2 ** 20;

/** Those of each page that one request reads: they share what one page has. */
export function pageBytesOf({ pages = 1 }: Reply): number {
  return Math.floor(maxPageBytes / pages);
}

/** Whether so many todos fit on one page with any contents: 50,000 characters of four bytes each. */
export function isAlwaysWhole(count: number, pageBytes = maxPageBytes): boolean {
  return count * 200_000 <= pageBytes;
}

/**
 * Of `rows`, `count` ordered todos as a query in parentheses, those that fit on one page by their contents, and the one
 * after them. What a content has in bytes is known without reading it.
 */
export function fitting(rows: string, count: number, order: string, pageBytes = maxPageBytes): string {
  if (isAlwaysWhole(count, pageBytes)) return rows;
  return `(select t.* from (
      select t.*, sum(octet_length(t.content)) over (
        order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from ${rows} t) t
    where coalesce(t.bytes_before, 0) <= ${pageBytes})`;
}

/** How many of these ordered texts, the first and those after it, fit on one page. */
export function fittingOf(sizes: readonly number[], pageBytes = maxPageBytes): number {
  let bytes = 0;
  const end = sizes.findIndex((size, place) => {
    bytes += size;
    return place > 0 && bytes > pageBytes;
  });
  return end < 0 ? sizes.length : end;
}

/** As `fittingOf`, of rows that `fitting` returned. */
export function fittingRows(rows: readonly TodoRow[], pageBytes = maxPageBytes): number {
  if (isAlwaysWhole(rows.length, pageBytes)) return rows.length;
  const bytes = rows.map(({ content }) => (content === null ? 0 : Buffer.byteLength(content)));
  return fittingOf(bytes, pageBytes);
}

const sizes = `select id, coalesce(octet_length(content), 0) as bytes from todos
  where workspace_id = $1 and id = any($2::uuid[])`;

/** The bytes of the contents of these todos, of those that the workspace has. */
export async function contentSizes(db: Db, workspaceId: string, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db.rows<{ id: string; bytes: number }>(sizes, [workspaceId, ids]);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
