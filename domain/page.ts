import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Context } from './context.ts';
import { Failure } from './errors.ts';

const version = 1;
const macBytes = 16;

/** What a cursor belongs to: it is valid only in this operation and workspace, with these filters and this order. */
export interface CursorScope {
  key: KeyObject | Buffer;
  operation: string;
  workspaceId: string;
  sort: string;
  order: string;
  /** The filters of the list, everything but `limit` and `cursor`. */
  filters: Record<string, unknown>;
}

/** The scope of the cursors of the operation or tool that is called. */
export function cursorScope(
  { service, operation, principal }: Pick<Context, 'service' | 'operation' | 'principal'>,
  list: Pick<CursorScope, 'sort' | 'order' | 'filters'>,
): CursorScope {
  return { key: service.cursorKey, operation, workspaceId: principal.workspaceId, ...list };
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

/** 400: the cursor is not one that was returned for this list. */
export function invalidCursor(): Failure {
  const message =
    'This cursor is not valid here. Pass nextCursor unchanged, with the same filters and order, or leave cursor out to start from the beginning.';
  const errors = [{ param: 'cursor', code: 'invalid_cursor', message }];
  return new Failure({ status: 400, code: 'invalid_cursor', message, errors });
}

/**
 * The position that a cursor names.
 * @throws Failure 400 `invalid_cursor` when it was changed, or made for another list, workspace, order or filter.
 */
export function positionOf(scope: CursorScope, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(macBytes);
  const genuine = bytes.length > macBytes && timingSafeEqual(mac(scope, payload), bytes.subarray(0, macBytes));
  if (genuine && bytes.toString('base64url') === cursor) return JSON.parse(payload.toString()) as Position;
  throw invalidCursor();
}

/** The page of the first `limit` of `limit + 1` rows: whether there are more, and the cursor after its last row. */
export function pageOf<Row>(rows: Row[], limit: number, scope: CursorScope, positionOfRow: (row: Row) => Position) {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { data, hasMore, nextCursor: hasMore && last !== undefined ? cursorAfter(scope, positionOfRow(last)) : null };
}
