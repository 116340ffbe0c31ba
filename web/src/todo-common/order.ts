import type { TandemInputs } from 'tandem/client';

/* The manual order of a list on a page, before and while the service stores it. */

/** Where a todo goes: directly after or directly before another. */
export type Place = Pick<TandemInputs['todos']['move'], 'after' | 'before'>;

interface WithId {
  readonly id: string;
}

/** The todos with one of them at another place; unchanged where the todo or the other one is not among them. */
export function placed<Row extends WithId>(rows: readonly Row[], id: string, { after, before }: Place): readonly Row[] {
  const moved = rows.find((row) => row.id === id);
  const others = rows.filter((row) => row.id !== id);
  const anchor = others.findIndex((row) => row.id === (after ?? before));
  if (!moved || anchor < 0) return rows;
  return others.toSpliced(after === undefined ? anchor : anchor + 1, 0, moved);
}

/** Where a todo goes that moves by one row up (-1) or down (1); null at the end of the rows. */
export function placeAfterStep(ids: readonly string[], id: string, step: 1 | -1): Place | null {
  const neighbour = ids[ids.indexOf(id) + step];
  if (neighbour === undefined || !ids.includes(id)) return null;
  return step > 0 ? { after: neighbour } : { before: neighbour };
}

/** The place in a list that is shown from its end. */
export function reversed({ after, before }: Place): Place {
  return after === undefined ? { after: before } : { before: after };
}
