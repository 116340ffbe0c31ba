import type { Write } from '../outbox/write.ts';

/* The changes of this window that can be undone, the latest last. They outlive the list that they were made in. */

const maxChanges = 20;
let changes: readonly (readonly Write[])[] = [];
/** Of whom they are. */
let owner = '';

/** Notes a change that was made, as `scope`: the person in a workspace. */
export function noteChange(scope: string, writes: readonly Write[]): void {
  changes = [...(scope === owner ? changes : []), writes].slice(-maxChanges);
  owner = scope;
}

/**
 * Reduces a change to the part that was stored. Returns that part, as it can be undone; empty if it was undone
 * meanwhile.
 */
export function narrowChange(writes: readonly Write[], stored: readonly Write[]): readonly Write[] {
  if (!changes.includes(writes)) return [];
  changes = changes.flatMap((each) => (each !== writes ? [each] : stored.length > 0 ? [stored] : []));
  return stored;
}

/** Takes a change, by default the latest one, to undo it; empty where there is none of this person. */
export function takeChange(scope: string, writes = changes.at(-1)): readonly Write[] {
  if (scope !== owner || writes === undefined || !changes.includes(writes)) return [];
  changes = changes.filter((each) => each !== writes);
  return writes;
}
