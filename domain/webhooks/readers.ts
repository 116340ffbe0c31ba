import type { Context } from '../context.ts';
import { readableObjects } from '../events/read.ts';
import { type EventObject, type EventType, eventObjects, objectOf } from '../events/types.ts';

/**
 * Kinds of resources some of whose events one person alone may read: what counts once the log no longer says it of an
 * event.
 */
const personal: readonly EventObject[] = ['view', 'reminder', 'notification', 'notification_settings', 'snooze'];

const readersOf = `select id, reader_id as "readerId" from events where workspace_id = $1 and id = any($2::uuid[])`;

interface Delivery {
  eventId: string;
  type: string;
}

/** Who is the only one to read an event; null for everybody who may read its resource. */
interface Reader {
  id: string;
  readerId: string | null;
}

const objectOfDelivery = ({ type }: Delivery) => objectOf(type as EventType);
const mayBePersonal = (delivery: Delivery) => personal.includes(objectOfDelivery(delivery));

/**
 * Finds out which of the deliveries the caller may see, by the owner of their endpoint: tests, and those of events that
 * the caller may read. An endpoint gets what its owner may read, which may be more. Once an event of one person alone
 * is no longer in the log, only the owner sees its delivery.
 */
export async function visibilityOf<Row extends Delivery>(
  { db, principal }: Pick<Context, 'db' | 'principal'>,
  deliveries: readonly Row[],
): Promise<(delivery: Row, ownerId: string) => boolean> {
  const { workspaceId, userId } = principal;
  const readable = readableObjects(principal);
  const ids = deliveries.filter((each) => eventObjects.includes(objectOfDelivery(each))).map(({ eventId }) => eventId);
  const found = ids.length === 0 ? [] : await db.rows<Reader>(readersOf, [workspaceId, ids]);
  const readers = new Map(found.map(({ id, readerId }) => [id, readerId ?? userId]));
  return (delivery, ownerId) => {
    const object = objectOfDelivery(delivery);
    if (!eventObjects.includes(object)) return true;
    if (!readable.includes(object)) return false;
    const reader = readers.get(delivery.eventId) ?? (mayBePersonal(delivery) ? ownerId : userId);
    return reader === userId;
  };
}
