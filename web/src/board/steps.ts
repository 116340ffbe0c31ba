/* Moves of the focus between the cards of a board. */

/** The keys of the cards, column by column. */
type Cards = readonly (readonly string[])[];

const sideways: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
const upAndDown: Record<string, number> = { ArrowUp: -1, ArrowDown: 1 };

/** The key of a card: the same todo may be in several columns. */
export function keyOf(columnId: string, todoId: string): string {
  return `${columnId} ${todoId}`;
}

/**
 * The card that a key leads to: the one above or below, one in the same place of the next column that has cards, or the
 * first or last one of its column. Undefined for other keys, and where there is none.
 */
export function stepFrom(cards: Cards, from: string, key: string): string | undefined {
  const column = cards.findIndex((ids) => ids.includes(from));
  const ids = cards[column];
  if (!ids) return undefined;
  const place = ids.indexOf(from);
  if (key === 'Home') return ids[0];
  if (key === 'End') return ids.at(-1);
  const up = upAndDown[key];
  if (up !== undefined) return place + up < 0 ? undefined : ids[place + up];
  const step = sideways[key];
  if (step === undefined) return undefined;
  for (let next = column + step; next >= 0; next += step) {
    const others = cards[next];
    if (others === undefined) return undefined;
    if (others.length > 0) return others[Math.min(place, others.length - 1)];
  }
  return undefined;
}
