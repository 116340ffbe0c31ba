import { registerHooks } from 'node:module';
import type * as recording from '../../domain/events/record.ts';
import type { startSequencer as start } from '../../server/events/sequencer.ts';

/*
 * The service without events, for comparison: `node --import` of this file replaces what records events, and what numbers
 * them, by functions that do nothing. The product has no such setting.
 */

const replaced = ['/domain/events/record.ts', '/server/events/sequencer.ts'];

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    const isOurs = context.parentURL !== undefined && /^\.\.?\//.test(specifier);
    const path = isOurs ? new URL(specifier, context.parentURL).pathname : '';
    return replaced.some((each) => path.endsWith(each))
      ? { url: import.meta.url, shortCircuit: true }
      : nextResolve(specifier, context);
  },
});

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
