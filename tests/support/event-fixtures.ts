import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { type Origin, serviceOrigin } from '../../db/origin.ts';
import { type NewEvent, recordEvents } from '../../domain/events/record.ts';
import type { TestWorkspace } from './harness.ts';
import { until } from './until.ts';

/** The origin of what a person did over REST. */
export function originOf(userId: string): Origin {
  return { ...serviceOrigin(), actorType: 'user', actorId: userId, via: 'rest', requestId: 'test' };
}

/**
 * Records events in one transaction; events of new todos where `events` is a number. Returns the ids of their
 * resources.
 */
export async function record(
  db: Db,
  { workspaceId, userId }: Pick<TestWorkspace, 'workspaceId' | 'userId'>,
  events: number | readonly (Partial<NewEvent> & Pick<NewEvent, 'type'>)[],
): Promise<string[]> {
  const given = typeof events === 'number' ? Array.from({ length: events }, () => ({})) : events;
  const all = given.map((event): NewEvent => ({ type: 'todo.created', objectId: newId(), ...event }));
  await db.as(originOf(userId)).transaction((tx) => recordEvents(tx, workspaceId, all));
  return all.map(({ objectId }) => objectId);
}

/**
 * Waits until the log of the workspace has come this far, and the process knows: reads give the position that it knows.
 */
export async function reached({ call }: TestWorkspace, sequence: number): Promise<void> {
  await until(async () => {
    const { headers, body } = await call('GET /events/latest');
    return body.sequence >= sequence && Number(headers.get('tandem-sequence')) >= sequence;
  });
}
