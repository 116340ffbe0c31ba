/**
 * Calls `work` with 0 … `count` - 1, so many at a time, and returns what it gave in that order: what is begun all at
 * once waits for a connection longer than a request may on a slow machine.
 */
export async function inLanes<Result>(
  count: number,
  lanes: number,
  work: (place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let place = next++; place < count; place = next++) results[place] = await work(place);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
