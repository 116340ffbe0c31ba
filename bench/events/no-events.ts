import type * as recording from '../../domain/events/record.ts';
import type { startSequencer as start } from '../../server/events/sequencer.ts';

/*
 * What records events, and what numbers them, as functions that do nothing: for a service without events
 * (`without-events.ts`), which the product has no setting for.
 */

export const onRecording: typeof recording.onRecording = () => () => {};

export const parentsOf: typeof recording.parentsOf = (ids) =>
  Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== null));

export const recordEvents: typeof recording.recordEvents = async () => {};

export const recordEvent: typeof recording.recordEvent = async () => {};

export const actingAs: typeof recording.actingAs = (db, _, work) => work(db);

export const changeAndRecord: typeof recording.changeAndRecord = async (db, change, values) => {
  await db.rows(change, values);
};

/** Names the parameters that the expressions use, and records nothing. */
export const recordingPart: typeof recording.recordingPart = (_bindings, _origin, { changed, workspace, ...parts }) => {
  const { type = 'null', parents = 'null', fields = 'null' } = parts;
  return `recorded as (
    select c.id from ${changed} c
    where false and ${workspace} is null and (${type}) is null and (${parents}) is null and (${fields}) is null
  )`;
};

export const startSequencer: typeof start = () => ({ measures: [], wake: () => {}, stop: async () => {} });
