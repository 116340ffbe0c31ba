import type { QueryClient } from '@tanstack/react-query';

/* Changes of which a page shows more than the service knows yet: a read in the meantime would show less again. */

const held = new WeakMap<QueryClient, Map<string, Promise<unknown>>>();

/** Lets `readAgain` of a kind wait until `changes` are stored. They must not reject. */
export function holdReads(queryClient: QueryClient, kind: string, changes: Promise<unknown>): void {
  const kinds = held.get(queryClient) ?? new Map<string, Promise<unknown>>();
  held.set(queryClient, kinds.set(kind, changes));
  void changes.then(() => {
    if (kinds.get(kind) === changes) kinds.delete(kind);
  });
}

/** Waits until nothing holds the reads of a kind, or of any kind, including what is held while it waits. */
export async function whenReadable(queryClient: QueryClient, kind?: string): Promise<void> {
  const kinds = held.get(queryClient);
  if (!kinds) return;
  for (;;) {
    const waited = kind === undefined ? [...kinds.values()] : [kinds.get(kind)].filter((each) => each !== undefined);
    if (waited.length === 0) return;
    await Promise.all(waited);
  }
}
