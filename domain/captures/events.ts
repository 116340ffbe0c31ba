import type { Db } from '../../db/client.ts';
import { changedFieldsOf } from '../events/changes.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import type { CaptureRef } from '../jobs.ts';
import type { StoredCapture } from './rows.ts';
import type { CaptureAnswer } from './shapes.ts';

type Field = Exclude<keyof CaptureAnswer, 'object' | 'id' | 'createdAt' | 'updatedAt'>;

/** Records what happened to a capture. */
export function recordCapture(
  db: Db,
  { workspaceId, captureId }: CaptureRef,
  type: NewEvent['type'],
  changedFields: readonly Field[] = [],
): Promise<void> {
  return recordEvent(db, workspaceId, { type, objectId: captureId, changedFields });
}

/** Records how a capture changed by a patch; nothing when no field shows it. */
export async function recordPatch(db: Db, workspaceId: string, before: StoredCapture, after: StoredCapture) {
  const changedFields = changedFieldsOf(before.capture, after.capture);
  const objectId = after.capture.id;
  if (changedFields.length === 0) return;
  await recordEvent(db, workspaceId, { type: 'capture.updated', objectId, changedFields });
}
