import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { Failure } from './errors.ts';

const version = 1;
const macBytes = 16;

/** What a cursor belongs to: it opens only this list, in this workspace, with these filters and this order. */
export interface CursorScope {
  key: KeyObject | Buffer;
  operation: string;
  workspaceId: string;
  sort: string;
  order: string;
  /** The filters of the list, everything but `limit` and `cursor`. */
  filters: Record<string, unknown>;
}

/** Sort key of a row: the value (null sorts last in both directions), then the id. */
export type Position = [value: string | number | null, id: string];

function mac(scope: CursorScope, payload: Buffer): Buffer {
  const { operation, workspaceId, sort, order, filters } = scope;
  const named = Object.entries(filters).filter(([, value]) => value !== undefined);
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  const context = JSON.stringify([version, operation, workspaceId, sort, order, named]);
  return createHmac('sha256', scope.key).update(context).update(payload).digest().subarray(0, macBytes);
}

/** An opaque cursor after `position`: base64url of the position and a signature over it and its scope. */
export function cursorAfter(scope: CursorScope, position: Position): string {
  const payload = Buffer.from(JSON.stringify(position));
  return Buffer.concat([mac(scope, payload), payload]).toString('base64url');
}

/** @throws Failure 400 `invalid_cursor` when it was changed, or made for another list, workspace, order or filter. */
export function positionOf(scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(macBytes);
  const genuine = bytes.length > macBytes && timingSafeEqual(mac(scope, payload), bytes.subarray(0, macBytes));
  if (genuine && bytes.toString('base64url') === cursor) return JSON.parse(payload.toString()) as Position;
  const message =
    'This cursor is not valid here. Pass nextCursor as it came, with the same filters and order, or leave cursor out to begin anew.';
  const errors = [{ param: 'cursor', code: 'invalid_cursor', message }];
  throw new Failure({ status: 400, code: 'invalid_cursor', message, errors });
}

/** The page out of `limit + 1` rows: whether there is more, and the cursor after its last row. */
export function pageOf<Row>(rows: Row[], limit: number, scope: CursorScope, positionOfRow: (row: Row) => Position) {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { data, hasMore, nextCursor: hasMore && last !== undefined ? cursorAfter(scope, positionOfRow(last)) : null };
}
