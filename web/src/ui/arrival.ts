import { useState } from 'react';

/**
 * What was read, in the order in which it arrived: what is read later stands after what is shown already, so that
 * nothing moves away under a pointer. Undefined until something is read.
 */
export function useArrival<Item extends { id: string }>(
  items: readonly Item[] | undefined,
): readonly Item[] | undefined {
  const [known, setKnown] = useState<readonly string[]>([]);
  const order = withNew(known, items ?? []);
  if (order !== known) setKnown(order);
  return items?.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

/** `known` and after it the ids that it does not have; `known` itself where it has all. */
function withNew(known: readonly string[], items: readonly { id: string }[]): readonly string[] {
  const added = items.flatMap(({ id }) => (known.includes(id) ? [] : [id]));
  return added.length === 0 ? known : [...known, ...added];
}
